"""Knowledge entered by people: one reader of a claim for files, REST and the form."""
