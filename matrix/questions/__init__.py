"""Questions in people's own words: free text → cells → answers; wording is parsed, never cases."""
