"""Finding passages: small chunks are searched by meaning and by words, whole passages are read."""
