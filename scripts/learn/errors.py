"""Why a run does not begin, or ends before its last round."""


class Refused(Exception):
    """Something that the user asked for is not possible."""


class Stop(Exception):
    """The run cannot continue now; what is finished is kept."""


class Damaged(Stop):
    """Something that the run rests on is missing or changed."""
