"""What more than one page shows. Pages import it; it imports the domain, never the other way."""
