"""What commands report, one command a file: tables of typed columns, remarks, and the same as data."""
