"""A Django database engine: PostgreSQL whose private server is started when first needed."""
