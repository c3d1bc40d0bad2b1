"""A correction names a venue as the author names the wrong one."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import worded_as

LONG_CVPR = "IEEE/CVF Conference on Computer Vision and Pattern Recognition, CVPR 2021, virtual, June 19-25, 2021"


@pytest.mark.parametrize(
    ("cited", "found", "year", "expected"),
    [
        ("CVPR", ("Advances in Neural Information Processing Systems",), None, "NeurIPS"),
        ("CVPR", ("NeurIPS",), 2022, "NeurIPS"),
        ("CVPR 2021", ("NeurIPS",), 2022, "NeurIPS 2022"),
        ("", ("Advances in Neural Information Processing Systems 16 [Neural Systems, NIPS 2003, Whistler, Canada]",), None,
         "Advances in Neural Information Processing Systems 16"),
        ("CVPR 2021", ("NeurIPS",), None, "NeurIPS 2021"),
        ("CVPR'21", ("NeurIPS",), 2022, "NeurIPS'22"),
        ("Proceedings of CVPR", ("NeurIPS",), None, "Proceedings of NeurIPS"),
        ("Proc. of the CVPR", ("ICML",), None, "Proc. of the ICML"),
        ("NeurIPS", (LONG_CVPR,), None, "CVPR"),
        ("International Conference on Machine Learning", ("NeurIPS",), None,
         "Conference on Neural Information Processing Systems"),
        (
            "Proceedings of the International Conference on Machine Learning",
            ("NeurIPS",),
            None,
            "Advances in Neural Information Processing Systems",
        ),
        (
            "Proceedings of the International Conference on Machine Learning",
            (LONG_CVPR,),
            None,
            "Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition",
        ),
        ("International Conference on Machine Learning", (LONG_CVPR,), None,
         "IEEE/CVF Conference on Computer Vision and Pattern Recognition"),
        ("Nature", ("Science",), None, "Science"),
        ("XYZ", ("Symposium on Unheard-of Things", "SUT"), None, "SUT"),
        ("XYZ", ("Symposium on Unheard-of Things",), None, "Symposium on Unheard-of Things"),
    ],
)  # fmt: skip
def test_short_stays_short_and_long_stays_long(
    cited: str, found: tuple[str, ...], year: int | None, expected: str
) -> None:
    assert worded_as(cited, found, year) == expected
