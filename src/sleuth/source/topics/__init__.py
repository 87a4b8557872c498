"""What a program says about one topic each: shapes, splits, modes, gradients ... Shared by several causes."""
