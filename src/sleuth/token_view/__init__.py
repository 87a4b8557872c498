"""The token's-eye view: what a language model is really trained on, token by token."""

from sleuth.token_view.given import tokens

__all__ = ["tokens"]
