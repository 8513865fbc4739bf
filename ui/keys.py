"""Every session-state key of the app. Only ids and plain values are stored under them.

The settings use their own names as keys (`replicas`, `global_batch`, ...), see `ui.settings`.
"""

RUN = "run"
"""Id of the run that is shown; stands in the URL."""
SESSION_OWNER = "session_owner"
"""Stands in for the cookie where a browser keeps none."""
NOTICES = "notices"
"""Sentences to show once, at the top of the page: see `ui.notices`."""
URL_CHECKED = "url_checked"
"""Whether this session's first URL was looked at for values that are not usable."""
FRESH_RUN = "fresh_run"
"""Id of the run this session started last: it is played from its first step."""
TRAIN_BUTTON = "train_button"
STOP_BUTTON = "stop_button"
PLAYER = "player"
LEDE = "lede"
RIBBON = "ribbon"
ROW_PANEL = "row_panel"
REPLY = "reply"
TAKEAWAY = "takeaway"


DATA_CHOICE = "data_choice"
"""The visible choice of the data set; what counts is the setting `data`, which is in the URL."""
CARRIERS = "carriers"
UPLOADS = "uploads"
"""This session's files: `upload:ID` to the label column and what is left out."""
UPLOAD = "upload"
UPLOAD_LABEL = "upload_label"
PIXELS = "pixels"
UPLOAD_PANEL = "upload_panel"
LEAVE_THEM_OUT = "leave_them_out"
FORGET_FILE = "forget_file"
PREVIOUS_ROW, ANOTHER_ROW, NEXT_ROW = "previous_row", "another_row", "next_row"
REFUSED = "refused"
"""The learner's last file while it cannot be used: its name, what is wrong, what is offered."""

PRESET = "preset"
USE_PRESET = "use_preset"
COMPARISON = "comparison"

INSTEAD = "instead"
"""The panel of the row that is shown while yours cannot be."""
ONE_CLASS = "one_class"
"""The experiment of Aggregate in this session: its settings, and an id for each run started."""
ONE_CLASS_BUTTON = "one_class_button"
MIXED, MIXED_BUTTON = "mixed", "mixed_button"
"""The same experiment on shuffled rows."""
SAW_TEETH, AVERAGING_CHARTS = "saw_teeth", "averaging_charts"
ONE_CLASS_CHARTS = "one_class_charts"
APART_CHART = "apart_chart"
OVERLAY_CHARTS = "overlay_charts"
YOURS_CHART = "yours_chart"
SPEED_CHART = "speed_chart"
TRACE_CHARTS = "trace_charts"


def compared(run_id: str) -> str:
    """Whether a run of one's own is ticked for comparison."""
    return f"compared_{run_id}"


def prediction(slug: str) -> str:
    """The option chosen for a page's prediction."""
    return f"prediction_{slug}"


PREDICTED, PREDICTED_ROWS, PREDICTED_BATCH = "predicted", "predicted_rows", "predicted_batch"
"""The choices of the prediction trace: how many rows, and `predict`'s batch size."""
CHANCES = "chances"

PICTURE = "picture"
SCALING = "scaling"
"""The measurement this session started last: its key, why it was refused, whether it was shown."""
SCALING_SIZE, SCALING_CORES, SCALING_BUTTON = "scaling_size", "scaling_cores", "scaling_button"
SCALING_STOP, SCALING_SHOWN, SCALING_OTHER = "scaling_stop", "scaling_shown", "scaling_other"
SCALING_CHARTS, SCALING_MORE = "scaling_charts", "scaling_more"
SCALING_CSV, SCALING_JSON = "scaling_csv", "scaling_json"
FASTER_TABS = "faster_tabs"
RATE, RATE_BUTTON, RATE_CHART = "rate", "rate_button", "rate_chart"
LAST_BATCH = "last_batch"
"""Whether Distribute shows the epoch's last batch."""
STRIP = "strip"
MEMORY = "memory"
ASK_AGAIN = "ask_again"


INSPECTED, INSPECTED_ROWS = "inspected", "inspected_rows"
"""The inspector's two pictures."""
INSPECTED_TENSOR, ONE_SCALE = "inspected_tensor", "one_scale"
TO_MY_ROW, TO_UNEVEN = "to_my_row", "to_uneven"
STEP_FILE = "step_file"


def inspected_step(run_id: str) -> str:
    """The kept step that the inspector shows of a run."""
    return f"inspected_step_{run_id}"


RING_NUMBERS, RING_BYTES = "ring_numbers", "ring_bytes"


def ring_replicas(run_id: str) -> str:
    """How many replicas the all-reduce of a run is shown with."""
    return f"ring_replicas_{run_id}"


def ring_step(run_id: str) -> str:
    """The kept step of a run whose all-reduce is shown."""
    return f"ring_step_{run_id}"


QUIZ_FOCUS = "quiz_focus"
"""Where the keyboard goes next in the quiz, what is said, and a token that makes it once."""
QUIZ_LIVE = "quiz_live"
QUIZ_PRESSES = "quiz_presses"
"""Ids of the quiz's buttons, made when they were drawn."""
QUIZ_NOTICE = "quiz_notice"
"""The id of a question and a sentence to show there once."""
QUIZ_AT = "quiz_at"
"""The question that is shown, by attempt."""
QUIZ_FINISHING = "quiz_finishing"
"""The attempt whose learner was asked whether to leave questions open."""
QUIZ_PROVING = "quiz_proving"
"""Ids of the questions whose proof was asked for."""
QUIZ_CODE = "quiz_code"
"""The code for another device, as long as it is shown."""
QUIZ_TYPED = "quiz_typed"
QUIZ_MODE, QUIZ_SET = "quiz_mode", "quiz_set"
QUIZ_PROGRESS, QUIZ_FINISH, QUIZ_RESULTS = "quiz_progress", "quiz_finish", "quiz_results"
QUIZ_DEVICE, QUIZ_INSIGHT, QUIZ_PANEL = "quiz_device", "quiz_insight", "quiz_panel"
QUIZ_STEPS, QUIZ_STEP, QUIZ_START = "quiz_steps", "quiz_step", "quiz_start"
QUIZ_TO_RESULTS, QUIZ_ASK_FINISH = "quiz_to_results", "quiz_ask_finish"
QUIZ_FINISH_ANYWAY, QUIZ_GO_ON = "quiz_finish_anyway", "quiz_go_on"
QUIZ_AGAIN, QUIZ_AGAIN_MISSED = "quiz_again", "quiz_again_missed"
QUIZ_MAKE_CODE, QUIZ_USE_CODE, QUIZ_CODE_FORM = "quiz_make_code", "quiz_use", "quiz_code_form"


def quiz_choice(attempt_id: str, question_id: str) -> str:
    """The option chosen for a question, not yet checked."""
    return f"quiz_choice_{attempt_id[:8]}_{question_id}"


def quiz_sure(attempt_id: str, question_id: str) -> str:
    """How sure the learner is of it."""
    return f"quiz_sure_{attempt_id[:8]}_{question_id}"


def quiz_part(part: str, question_id: str) -> str:
    """A part of a question on the page, or a button of it."""
    return f"quiz_{part}_{question_id}"


SCALING_START, SCALING_LINK = "scaling_start", "scaling_link"
"""The step and the link that the scaling model starts from, by name."""
SCALING_FORETOLD, SCALING_PUBLISHED = "scaling_foretold", "scaling_published"
DIAGNOSE_FORM, DIAGNOSE_RESULT = "diagnose_form", "diagnose_result"


def diagnose(field: str) -> str:
    """What was typed into one field of the diagnosis."""
    return f"diagnose_{field}"


CONVERT_MARKS = "convert_marks"
"""The letters of the programs that the learner marked on Convert it."""
CONVERT_OPEN = "convert_open"
"""Whether the learner asked to see what became of the programs."""
CONVERT_RUN, CONVERT_AGAIN, CONVERT_SHOWN = "convert_run", "convert_again", "convert_shown"
CONVERT_SWITCHES, CONVERT_BOARD = "convert_switches", "convert_board"


def convert_part(part: str) -> str:
    """Whether build, compile or fit is inside the scope."""
    return f"convert_{part}"


def convert_cell(part: str, letter: str) -> str:
    """A part of one cell of the board."""
    return f"convert_{part}_{letter}"


VIEW = "view"
"""How the lesson is shown; stands in the URL. "" is the view of a learner."""
PRESENTER_PANEL = "presenter_panel"
"""What the presenter view shows besides the page: "notes", "link" or ""."""
PRESENTER, PRESENTER_BAR, PRESENTER_KEYS = "presenter", "presenter_bar", "presenter_keys"
PRESENTER_NOTES, PRESENTER_LINK = "presenter_notes", "presenter_link"
PRESENTER_BACK, PRESENTER_NEXT = "presenter_back", "presenter_next"
PRESENTER_LEAVE = "presenter_leave"
ALL_NOTES = "all_notes"


def presenter_button(panel: str) -> str:
    """The button that shows the notes or the link in the presenter view."""
    return f"presenter_{panel}_button"


CARDS_RUN = "cards_run"
"""The experiments of Break it that this session ran, by name, the latest last."""
CARDS_FRESH = "cards_fresh"
"""Whether all cards were just run: they move to their columns once."""
CARDS_ALL, CARD_CHOSEN, CARD, CARD_BUTTON = "cards_all", "card_chosen", "card", "card_button"
CARD_VERDICT, CARDS_TRAY = "card_verdict", "cards_tray"


def card_choice(slug: str) -> str:
    """The choice that is made on a card."""
    return f"card_choice_{slug}"


def card_guess(name: str) -> str:
    """What the learner guessed of an experiment of Break it."""
    return f"card_guess_{name}"


KEYBOARD = "keyboard"
"""What keeps the keyboard where it was when the page is drawn anew."""


def waiting(name: str = "") -> str:
    """The line that says what is waited for: `keyboard.js` finds it by the beginning of this."""
    return f"waiting_{name}" if name else "waiting"
