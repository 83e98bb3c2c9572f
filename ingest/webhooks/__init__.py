"""News over HTTP: who is told, what is told, how it is signed and sent."""
