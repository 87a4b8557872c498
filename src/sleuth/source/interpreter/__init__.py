"""An abstract run of a program: statements, expressions and calls followed without executing anything."""
