# SPDX-License-Identifier: Apache-2.0
"""generate_misuse.py HEADER... > misuse_cases.h: a case for each argument of each public function, wrong in each way
that its type allows: NULL, an object of another model, an index, handle or enum value out of range, a negative count.

What headers allow to be NULL is listed in OPTIONAL.  A type that is not known here is an error, so that new
functions cannot be forgotten.
"""
import re
import sys

# objects, and whether they must belong to the model of the others in the same call
OBJECTS = {
    "lw_spec": False, "lw_model": False, "lw_work": True, "lw_dca": True, "lw_dca_derivatives": True,
    "lw_derivatives": True, "lw_model_derivative": False, "lw_cartesian": True, "lw_dynamics": False, "lw_simulation": False,
    "lw_columns": False, "lw_sensitivity": False, "lw_sko": False, "lw_sko_partition": False,
    "lw_mass_factor": False, "lw_solver": False, "lw_graph": False, "lw_spanning_tree": False, "lw_tree": False,
    "lw_segments": False, "lw_topology": True, "lw_table": False, "lw_self_stress": False,
    "lw_linearization": False, "lw_modes": False, "lw_rest": False,
}
HANDLES = {"lw_body", "lw_joint", "lw_constraint", "lw_force", "lw_point"}
ENUMS = {
    "lw_stability", "lw_partition_reason", "lw_mode_kind", "lw_formulation", "lw_graph_direction", "lw_pattern", "lw_system_class",
    "lw_constraint_type", "lw_order_method", "lw_assembly_strategy", "lw_sko_block", "lw_sko_operator", "lw_part", "lw_solver_method",
    "lw_action", "lw_joint_type", "lw_shape_type", "lw_file_format", "lw_status", "lw_loops", "lw_integrator", "lw_tree_numbering", "lw_objective_kind",
}
CALLBACKS = {"lw_step_callback", "lw_event_callback", "lw_control_callback", "lw_phase_callback"}
INDICES = {"index", "k", "node", "edge", "i", "j", "a", "b", "row", "parameter", "ancestor", "first_node", "to", "from"}

# pointers that may be NULL: by name everywhere, or of one function
OPTIONAL = {"err", "options", "tau", "context", "callback", "name", "edge_map", "node_map", "sign",
            "count", "keep_edge", "keep_node", "listing"}
OPTIONAL_OF = {
    "lw_simulation_partition": {"list"},
    "lw_joint_numbering": {"cost", "row_bandwidth"},
    "lw_explain": {"w", "u", "what"},
    "lw_equilibrium": {"report"},
    "lw_simulation_start_in_equilibrium": {"report"},
    "lw_equilibrium_start": {"by"},
    "lw_linearize": {"u"},
    "lw_get_cut_joints": {"q", "u", "udot"},
    "lw_dca_get_cut_joint_derivatives": {"q", "u"},
    "lw_get_cut_joint_derivatives": {"q", "u"},
    "lw_inverse_dynamics": {"udot"},
    "lw_inverse_dynamics_n": {"udot"},
    "lw_inverse_dynamics_rows": {"udot"},
    "lw_inverse_dynamics_derivatives": {"udot", "by"},
    "lw_forward_dynamics_derivatives": {"udot", "by"},
    "lw_linearize_forward": {"udot"},
    "lw_inverse_derivative": {"udot"},
    "lw_forward_derivative": {"udot_p"},
    "lw_close_loops_derivative": {"model_p", "motion", "u_p"},
    "lw_constraint_derivatives": {"phi_p", "rate_p"},
    "lw_constraint_equations": {"phi", "G"},
    "lw_dca_linearize": {"udot"},
    "lw_dca_impulse": {"q", "u", "before"},
    "lw_energy": {"kinetic", "potential"},
    "lw_mass_determinant": {"logdet", "sign"},
    "lw_mass_center": {"mass", "p"},
    "lw_dof": {"dof", "redundant"},
    "lw_jacobian": {"p_B"},
    "lw_point_jacobian": {"p_B"},
    "lw_hold_joint": {"q", "u"},
    "lw_spec_get_point": {"body", "place"},
    "lw_simulation_advance": {"q", "u"},
    "lw_simulation_cut_joints": {"q", "u"},
    "lw_sensitivity_new": {"parameters"},
    "lw_sensitivity_advance": {"q", "u", "dq", "du"},
    "lw_sensitivity_row": {"row", "drow"},
    "lw_sensitivity_objectives": {"value", "gradient"},
    "lw_sensitivity_by_runs": {"out"},
    "lw_sensitivity_check": {"out"},
    "lw_columns_new": {"patterns"},
    "lw_results_select": {"patterns"},
    "lw_results_save": {"part", "rows"},
    "lw_columns_follow": {"sim"},
    "lw_table_close": {"table"},
    "lw_simulation_run": {"report"},
    "lw_sensitivity_run": {"report"},
    "lw_sko_inverse_dynamics": {"thdd", "T", "alpha", "f"},
    "lw_sko_forward_dynamics": {"T", "alpha"},
    "lw_sko_set_terms": {"a", "b", "load"},
    "lw_sko_get_terms": {"a", "b", "load"},
    "lw_sko_partition_coupling": {"X", "Y"},
    "lw_spanning_tree_loop": {"node", "edge"},
    "lw_topology_loop": {"node", "edge"},
    "lw_dca_derivative": {"udot_p"},
    "lw_sko_gather": {"X"},  # NULL: M
    "lw_unit_factor": {"si"},
    "lw_order_nodes": {"order"},  # of no nodes
    "lw_order_cost_of": {"order"},
    "lw_tree_count_entries": {"weight"},
    "lw_spec_error": {"err"},
}


def declarations(path):
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    for found in re.finditer(r"LW_API\s+([^;]*?);", text):
        head, arguments = re.match(r"(.*?)\((.*)\)$", " ".join(found.group(1).split()), re.S).groups()
        result, name = re.match(r"(.*?)(\w+)$", head).groups()
        yield result.strip(), name, [] if arguments == "void" else split(arguments)


def split(arguments):
    return [a.strip() for a in arguments.split(",")]


class Argument:
    """base type, pointer depth (arrays count), name"""

    def __init__(self, text):
        found = re.match(r"(.*?)(\w+)((?:\[\w*\])*)$", text)
        kind, self.name, arrays = found.groups()
        self.base = re.sub(r"\b(const|struct)\b|\*", "", kind).strip()
        self.depth = kind.count("*") + arrays.count("[")
        self.type = kind.strip()
        self.arrays = arrays

    def cast(self, value):
        stars = "*" * self.depth if not (self.arrays.count("[") == 2) else "(*)[6]"
        return f"({self.base} {stars}){value}" if "(*)" not in stars else f"({self.base}(*)[6]){value}"

    def good(self, place):
        b, d, n = self.base, self.depth, self.name
        if d == 1 and b in OBJECTS:
            return f"f->{b}"
        if d == 0:
            if b in HANDLES:
                return f"({b}){{1}}"
            if b in ENUMS:
                return f"({b})1"
            if b in CALLBACKS:
                return "NULL"
            if b == "double":
                return "1e-3" if n == "dt" else "0.5" if n not in ("t",) else "0"
            if b in ("int", "long", "size_t", "unsigned", "bool"):
                return "sizeof f->memory" if b == "size_t" and n == "size" else "1" if n == "length" else \
                    "0" if n in INDICES else "1"
            raise SystemExit(f"generate_misuse.py: how is a value of type {b} made wrong?")
        if d == 1 and b == "double":
            return "f->q" if n == "q" else "f->u" if n == "u" else f"f->number[{place}]"
        if d == 2 and b == "double":
            return self.cast(f"f->number[{place}]")
        if d == 1 and b == "int":
            return f"f->{n}" if n in ("parent", "listing") else f"f->integer[{place}]"
        if d == 1 and b == "unsigned char":
            return "f->set"
        if d == 1 and b == "bool":
            return f"(bool *)f->integer[{place}]"
        if d == 1 and b == "char":
            return '"/dev/null"' if n == "path" else '"A"'
        if d == 2 and b == "char":
            return "f->names"
        if d == 1 and b in ("void", "int64_t", "long", "unsigned", "lw_status") or b in ("lw_singularity",):
            return f"(void *)f->integer[{place}]"
        if d == 1 and b == "lw_error":
            return "&f->err"
        if d == 1 and b.startswith("lw_"):
            return f"(void *)f->zeros[{place}]"
        raise SystemExit(f"generate_misuse.py: how is a value of type {b} {'*' * d} made wrong?")

    def wrong(self, function, has_model):
        """(what, value, must it be refused)"""
        b, d, n = self.base, self.depth, self.name
        optional = n in OPTIONAL or n in OPTIONAL_OF.get(function, ()) or function.endswith("_free")
        if d > 0:
            yield "NULL", "NULL", not optional
        if d == 1 and OBJECTS.get(b) and has_model:
            yield "of another model", f"g->{b}", True
        if d == 0 and b in HANDLES:
            yield "-1", f"({b}){{-1}}", True
            yield "too large", f"({b}){{1 << 30}}", True
        if d == 0 and b in ENUMS:
            names = function.endswith(("_name", "_text"))  # some answer with a text for "no such value"
            yield "no value of the enumeration", f"({b})9999", not names
            yield "negative", f"({b})-1", not names
        if d == 0 and b in ("int", "long"):
            yield "negative", "-1", n not in INDICES
            if n in INDICES:
                yield "too large", "1 << 30", False


def main(paths):
    cases = []
    for path in paths:
        for result, name, texts in declarations(path):
            arguments = [Argument(t) for t in texts]
            good = [a.good(i) for i, a in enumerate(arguments)]
            has_model = sum(a.base == "lw_model" or OBJECTS.get(a.base, False) for a in arguments) > 1
            for i, a in enumerate(arguments):
                for what, value, refuse in a.wrong(name, has_model):
                    values = good[:i] + [value] + good[i + 1:]
                    cases.append((result, name, a.name, what, refuse, ", ".join(values)))
    for k, (result, name, _, _, _, values) in enumerate(cases):
        call = f"{name}({values})"
        body = f"return ANSWER + (int){call};" if result == "lw_status" else \
            f"return {call} ? SOMETHING : NOTHING;" if result.endswith("*") else \
            f"{call}; return SURVIVED;" if result == "void" else f"(void){call}; return SURVIVED;"
        print(f"static int case_{k}(fixture *f, fixture *g)\n{{\n  (void)f, (void)g;\n  {body}\n}}")
    print("static const misuse cases[] = {")
    for k, (_, name, argument, what, refuse, _) in enumerate(cases):
        print(f'  {{"{name}", "{argument}", "{what}", {"true" if refuse else "false"}, case_{k}}},')
    print("};")


main(sys.argv[1:])
