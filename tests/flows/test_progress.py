from flows.progress import Progress


def test_a_run_is_told_twenty_times_with_the_time_that_is_left():
    now = [100.0]
    progress = Progress(40, 4000, clock=lambda: now[0])
    said = []
    for _ in range(40):
        now[0] += 2.0
        said.append(progress.after(100, new=True))
    told = [line for line in said if line]
    assert len(told) == 20
    assert told[0] == "2 of 40 parts, 200 of 4,000 texts, about 76 s left"
    assert told[9] == "20 of 40 parts, 2,000 of 4,000 texts, about 40 s left"
    assert told[-1] == "40 of 40 parts, 4,000 of 4,000 texts"


def test_parts_of_an_earlier_run_do_not_count_as_quick():
    now = [0.0]
    progress = Progress(4, 4000, clock=lambda: now[0])
    assert progress.after(1000, new=False) == "1 of 4 parts, 1,000 of 4,000 texts"
    now[0] = 600.0
    assert progress.after(1000, new=True) == "2 of 4 parts, 2,000 of 4,000 texts, about 20 min left"
