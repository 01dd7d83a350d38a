"""What is counted in bodies of lines and rows, and how many large ones are read at a time."""
