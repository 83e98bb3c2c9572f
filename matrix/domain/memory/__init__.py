"""How much memory a model takes where: the estimate by parts, with its formulas and its errors."""
