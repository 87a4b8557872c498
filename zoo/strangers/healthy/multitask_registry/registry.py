class Registry(dict):
    """A dict that also decorates."""

    def __call__(self, name):
        def keep(obj):
            if name in self:
                raise KeyError(f"{name!r} registered twice")
            self[name] = obj
            return obj
        return keep


TRUNKS, TASK_KINDS = Registry(), Registry()
