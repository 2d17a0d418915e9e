"""What a merchant's own look is made of: colours that can be read, lists of shapes and fonts, pictures that are one."""
