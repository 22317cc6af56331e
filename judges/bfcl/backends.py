"""The functions of the package, with their state, and its own executor of calls."""
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import state_checker
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import execute_multi_turn_func_call


class Instances:
    """One set of instances for a case."""

    def __init__(self, case, name):
        self.case, self.name = case, name

    def call(self, tool, arguments):
        """The result of a call that arrived, as the package shows it to models."""
        source = f"{tool}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"
        (text,) = self.execute([source])
        return text

    def execute(self, sources):
        return self.run(sources)[0]

    def instances(self):
        return self.run([])[1]

    def run(self, sources):
        entry = self.case["entry"]
        return execute_multi_turn_func_call(
            func_call_list=sources,
            initial_config=entry["initial_config"],
            involved_classes=entry["involved_classes"],
            model_name=self.name,
            test_entry_id=entry["id"],
            long_context="long_context" in entry["id"],
        )


def difference(ours, theirs):
    """Where the states of two sets of instances differ, as the package compares them."""
    verdict = state_checker(ours.instances(), theirs.instances())
    return None if verdict["valid"] else verdict["details"]["differences"]
