"""Where the data contradicts itself."""

# Calls that do not fit the descriptions of their functions: the runtime must refuse them. Each case has one.
REFUSED = {
    "a variable of a program in place of a value": [
        "simple_java_26", "simple_java_35", "simple_java_38", "simple_java_45", "simple_java_58", "simple_java_69",
        "simple_java_72", "simple_java_82", "simple_java_87", "simple_java_88", "simple_javascript_5",
        "simple_javascript_9", "simple_javascript_11", "simple_javascript_15", "simple_javascript_19",
        "simple_javascript_32", "simple_javascript_37", "simple_javascript_39", "parallel_multiple_21",
    ],
    "a value of another type": [
        "multi_turn_base_173", "multi_turn_miss_func_173", "multi_turn_miss_param_173", "multi_turn_long_context_173",
        "simple_python_200", "parallel_multiple_94", "live_multiple_144-56-0", "live_multiple_552-153-1",
        "live_multiple_731-167-2", "live_multiple_733-167-4", "live_multiple_735-167-6",
    ],
    "a value that the enumeration lacks": [
        "live_simple_71-35-0", "live_multiple_87-38-4", "live_multiple_152-58-6", "live_multiple_750-169-5",
        "live_multiple_756-169-11", "live_multiple_835-178-10", "live_multiple_871-182-8", "live_multiple_947-197-0",
        "live_parallel_multiple_2-2-0",
    ],
    "an argument too many, or too few": [
        "parallel_multiple_26", "live_simple_106-63-0", "live_simple_112-68-0", "live_multiple_862-181-3",
        "live_multiple_964-207-0",
    ],
}

# Calls that do not fit either, but have a meaning: the arguments that must arrive in place of the written ones.
CONVERTED = {
    # A number is one of the texts of an enumeration.
    "live_multiple_595-158-1": {
        "location": "New York, NY", "star_rating": "3", "smoking_allowed": True, "number_of_rooms": "2",
    },
    "live_multiple_596-158-2": {"location": "San Francisco, CA", "number_of_rooms": "1"},
    # `null` is an argument that is left out.
    "live_multiple_1038-265-0": {"project_name": "invoice-website", "include_status": True},
    "live_multiple_1041-268-0": {"perPage": 10, "timespan": 36000, "metrics": ["temperature"], "interval": 86400},
}

# The functions that come later, by turn: the data lists `tail` in turn 3, and calls it in turn 1.
LATER = {"multi_turn_miss_func_49": {"1": ["tail"], "3": ["wc", "cat"]}}
