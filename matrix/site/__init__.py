"""The composition root: settings, root URLs, task application and server entry points."""
