"""What a unit check found."""

from dataclasses import dataclass

from sleuth.finding import Finding


@dataclass(frozen=True)
class UnitCheck:
    """The outcome: `passed`, in how many cases, and what is wrong in words."""

    function: str
    passed: bool
    cases: int
    wrong: tuple[str, ...] = ()
    flaw: str = ""
    findings: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        if self.passed:
            return f"{self.function}: right in all {self.cases} cases"
        what = self.findings[0].message if self.findings else "wrong"
        return f"{self.function}: {what}"
