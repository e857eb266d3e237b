"""What is wrong or odd in files, in words; validation and repair; baselines."""
