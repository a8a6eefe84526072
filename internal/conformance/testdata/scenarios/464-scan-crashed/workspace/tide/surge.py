def surge(level):
    if level > 9:
        return True
    return False
