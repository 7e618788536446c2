"""What a new statement is to an old one: rules on words, no model."""
