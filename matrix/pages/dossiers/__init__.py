"""What people see of dossiers: pages, forms, words and exports."""
