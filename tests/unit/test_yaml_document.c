/* SPDX-License-Identifier: Apache-2.0 */
/* YAML and JSON text become the same tree, and every node knows where it was written. */
#include "lwt.h"

#include "io/read/yaml_document.h"

#include <string.h>

/* ---- support ---- */

static lwi_yaml_document *parse(const char *text)
{
  lw_error err = {.status = LW_OK};
  lwi_yaml_document *doc = lwi_yaml_parse(text, strlen(text), "test.yaml", &err);
  if (!doc) fail_msg("%s\nis refused: %s", text, err.text);
  return doc;
}

static void expect_error(const char *text, const char *message)
{
  lw_error err = {.status = LW_OK};
  lwi_yaml_document *doc = lwi_yaml_parse(text, strlen(text), "test.yaml", &err);
  assert_null(doc);
  assert_string_equal(err.text, message);
}

static void expect_place(const lwi_yaml_node *node, int line, int column)
{
  assert_non_null(node);
  assert_int_equal(node->line, line);
  assert_int_equal(node->column, column);
}

static bool same_tree(const lwi_yaml_node *a, const lwi_yaml_node *b)
{
  if (a->kind != b->kind || a->count != b->count) return false;
  if (a->kind == LWI_YAML_SCALAR) return strcmp(a->text, b->text) == 0;
  for (int i = 0; i < a->count; i++) {
    if (a->kind == LWI_YAML_LIST && !same_tree(a->item[i], b->item[i])) return false;
    if (a->kind == LWI_YAML_MAP && (!same_tree(a->entry[i].key, b->entry[i].key) ||
                                    !same_tree(a->entry[i].value, b->entry[i].value)))
      return false;
  }
  return true;
}

static void expect_same(const char *one, const char *other)
{
  lwi_yaml_document *a = parse(one), *b = parse(other);
  assert_true(same_tree(lwi_yaml_root(a), lwi_yaml_root(b)));
  lwi_yaml_free(a);
  lwi_yaml_free(b);
}

/* ---- values ---- */

static void scalars_keep_their_text(void **state)
{
  (void)state;
  static const char text[] =
      "a: 1e-11\nb: 1:30\nc: yes\nd: 30 deg\ne: '0x10'\nf: \"t\\u00e9\"\ng:\n"
      "h: |\n  two\n  lines\ni: two\n  words\n";
  static const char *const values[] = {"1e-11",     "1:30", "yes",          "30 deg",   "0x10",
                                       "t\xc3\xa9", "",     "two\nlines\n", "two words"};
  lwi_yaml_document *doc = parse(text);
  const lwi_yaml_node *root = lwi_yaml_root(doc);
  assert_int_equal(root->count, 9);
  for (int i = 0; i < root->count; i++) {
    assert_string_equal(root->entry[i].value->text, values[i]);
    assert_int_equal(root->entry[i].value->count, strlen(values[i]));
  }
  lwi_yaml_free(doc);
}

static void styles_are_told_apart(void **state)
{
  (void)state;
  lwi_yaml_document *doc = parse("[1, '1', \"1\", {a: b}]");
  const lwi_yaml_node *root = lwi_yaml_root(doc);
  assert_int_equal(root->style, LWI_YAML_FLOW);
  assert_int_equal(root->item[0]->style, LWI_YAML_PLAIN);
  assert_int_equal(root->item[1]->style, LWI_YAML_QUOTED);
  assert_int_equal(root->item[2]->style, LWI_YAML_QUOTED);
  assert_int_equal(root->item[3]->style, LWI_YAML_FLOW);
  lwi_yaml_free(doc);
  doc = parse("a: |\n  text\n");
  root = lwi_yaml_root(doc);
  assert_int_equal(root->style, LWI_YAML_BLOCK);
  assert_int_equal(root->entry[0].value->style, LWI_YAML_BLOCK);
  lwi_yaml_free(doc);
}

static void nodes_know_their_place(void **state)
{
  (void)state;
  lwi_yaml_document *doc = parse("# comment\nb\xc3\xa9: {mass: 10,\n  com: [0, 'x']}\n");
  const lwi_yaml_node *root = lwi_yaml_root(doc);
  expect_place(root, 2, 1);
  expect_place(root->entry[0].key, 2, 1);
  expect_place(root->entry[0].value, 2, 5); /* columns count characters */
  const lwi_yaml_node *com = lwi_yaml_find(root->entry[0].value, "com");
  expect_place(com, 3, 8);
  expect_place(com->item[1], 3, 12);
  lwi_yaml_free(doc);
}

static void keys_keep_the_order_of_the_file(void **state)
{
  (void)state;
  static const char *const keys[] = {"z", "y", "x", "a", "b", "c", "k", "j", "i", "q", "p"};
  lwi_yaml_document *doc =
      parse("{z: 0, y: 1, x: 2, a: 3, b: 4, c: 5, k: 6, j: 7, i: 8, q: 9, p: 10}");
  const lwi_yaml_node *root = lwi_yaml_root(doc);
  for (int i = 0; i < 11; i++)
    assert_string_equal(root->entry[i].key->text, keys[i]);
  assert_string_equal(lwi_yaml_find(root, "q")->text, "9");
  assert_null(lwi_yaml_find(root, "Q"));
  lwi_yaml_free(doc);
}

static void empty_lists_and_mappings_are_nodes(void **state)
{
  (void)state;
  lwi_yaml_document *doc = parse("{a: [], b: {}, c: }");
  const lwi_yaml_node *root = lwi_yaml_root(doc);
  assert_int_equal(lwi_yaml_find(root, "a")->count, 0);
  assert_int_equal(lwi_yaml_find(root, "b")->kind, LWI_YAML_MAP);
  assert_int_equal(lwi_yaml_find(root, "c")->kind, LWI_YAML_SCALAR);
  lwi_yaml_free(doc);
}

/* ---- JSON ---- */

static void json_reads_as_yaml(void **state)
{
  (void)state;
  expect_same("{\"linkwork\": 1, \"bodies\": {\"a\": {\"mass\": 1.5e3, \"com\": [0, -1, 2]}},\n"
              " \"name\": \"x\\ty\\u00e9\\n\", \"planar\": true}\n",
              "linkwork: 1\nbodies:\n  a:\n    mass: 1.5e3\n    com:\n    - 0\n    - -1\n    - 2\n"
              "name: \"x\\ty\xc3\xa9\\n\"\nplanar: true\n");
  expect_same("{\"a\":1,\"b\":[2,{\"c\":\"d\"}]}", "a: 1\nb: [2, {c: d}]");
  expect_same("{\n\t\"a\": [\n\t\t1,\n\t\t2\n\t]\n}\n", "a: [1, 2]");
}

static void line_ends_do_not_matter(void **state)
{
  (void)state;
  expect_same("a: 1\r\nb:\r\n  c: 2\r\n", "a: 1\nb:\n  c: 2\n");
  expect_same("a: 1\rb: 2", "a: 1\nb: 2\n");
}

/* ---- aliases ---- */

static void an_alias_is_the_node_of_its_anchor(void **state)
{
  (void)state;
  lwi_yaml_document *doc = parse("a: &v [1, 2]\nb: *v\nc: &v 3\nd: *v\n&k e: {*k : 4}\n");
  const lwi_yaml_node *root = lwi_yaml_root(doc);
  assert_ptr_equal(lwi_yaml_find(root, "a"), lwi_yaml_find(root, "b"));
  assert_string_equal(lwi_yaml_find(root, "d")->text, "3"); /* the newest of that name */
  assert_string_equal(lwi_yaml_find(lwi_yaml_find(root, "e"), "e")->text, "4");
  lwi_yaml_free(doc);
}

/* ---- refused ---- */

static void a_duplicate_key_is_refused_in_any_size_of_mapping(void **state)
{
  (void)state;
  expect_error("a: 1\nb: 2\na: 3\n", "test.yaml:3:1: `a` is already defined in line 1");
  expect_error("{a: 1, 'a': 3}", "test.yaml:1:8: `a` is already defined in line 1");
  expect_error("{a: 0, b: 1, c: 2, d: 3, e: 4, f: 5, g: 6, h: 7, i: 8, j: 9,\n b: 10}",
               "test.yaml:2:2: `b` is already defined in line 1");
  expect_error("&k a: 1\n*k : 2\n", "test.yaml:1:1: `a` is already defined in line 1");
}

static void what_a_model_file_has_no_use_for_is_refused(void **state)
{
  (void)state;
  expect_error("a: !x 1\n", "test.yaml:1:4: tags are not supported: remove `!x`");
  expect_error("a: !!str 1\n",
               "test.yaml:1:4: tags are not supported: remove `tag:yaml.org,2002:str`");
  expect_error("a: {<<: 1}\n", "test.yaml:1:9: `<<` takes a mapping or a list of mappings, like "
                               "`<<: *base`");
  expect_error("a: 1\n--- \nb: 2\n",
               "test.yaml:2:1: a second document starts here: a model file holds one");
  expect_error("{a: 1}: b\n",
               "test.yaml:1:1: a key must be a single word, not a list or a mapping");
}

static void one_document_may_be_marked(void **state)
{
  (void)state;
  expect_same("%YAML 1.1\n---\na: 1\n...\n", "a: 1");
}

static void scalars_up_to_the_limit_are_kept(void **state)
{
  (void)state;
  static char text[LWI_YAML_MAX_SCALAR + 2];
  memset(text, 'x', LWI_YAML_MAX_SCALAR);
  lwi_yaml_document *doc = parse(text);
  assert_string_equal(lwi_yaml_root(doc)->text, text);
  lwi_yaml_free(doc);
  text[LWI_YAML_MAX_SCALAR] = 'x';
  expect_error(text, "test.yaml:1:1: a text of 65537 bytes: 65536 at most");
}

static void nesting_up_to_the_limit_is_kept(void **state)
{
  (void)state;
  char text[2 * LWI_YAML_MAX_DEPTH + 3] = "";
  memset(text, '[', LWI_YAML_MAX_DEPTH);
  memset(text + LWI_YAML_MAX_DEPTH, ']', LWI_YAML_MAX_DEPTH);
  lwi_yaml_free(parse(text));
  memset(text, '[', LWI_YAML_MAX_DEPTH + 1);
  memset(text + LWI_YAML_MAX_DEPTH + 1, ']', LWI_YAML_MAX_DEPTH + 1);
  expect_error(text, "test.yaml:1:101: more than 100 lists and mappings in one another");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalars_keep_their_text),
      cmocka_unit_test(styles_are_told_apart),
      cmocka_unit_test(nodes_know_their_place),
      cmocka_unit_test(keys_keep_the_order_of_the_file),
      cmocka_unit_test(empty_lists_and_mappings_are_nodes),
      cmocka_unit_test(json_reads_as_yaml),
      cmocka_unit_test(line_ends_do_not_matter),
      cmocka_unit_test(an_alias_is_the_node_of_its_anchor),
      cmocka_unit_test(a_duplicate_key_is_refused_in_any_size_of_mapping),
      cmocka_unit_test(what_a_model_file_has_no_use_for_is_refused),
      cmocka_unit_test(one_document_may_be_marked),
      cmocka_unit_test(scalars_up_to_the_limit_are_kept),
      cmocka_unit_test(nesting_up_to_the_limit_is_kept),
  };
  return cmocka_run_group_tests_name("unit/yaml_document", tests, NULL, NULL);
}
