import numpy as np

from nadp.search.lists import measured_recall


def test_recall_counts_the_true_neighbours_that_were_found_without_the_point_itself():
    truth = np.array([[0, 1, 2, 3], [1, 0, 2, 3]])
    found = np.array([[0, 3, 1, 9], [1, 8, 7, 9]])
    assert measured_recall(found, truth) == 2 / 6
    assert measured_recall(truth, truth) == 1
    assert measured_recall(truth[:, :1], truth[:, :1]) == 1
