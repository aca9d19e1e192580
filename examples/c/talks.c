#include <stdlib.h>
#include <string.h>
#include "extractor.h"

typedef exports_magpie_vertical_description_attribute_t attribute_t;
typedef magpie_vertical_objects_field_t field_t;

static void add_attribute(exports_magpie_vertical_description_list_attribute_t *list,
                          const char *name, const char *kind, bool required) {
    attribute_t *attribute = &list->ptr[list->len++];
    memset(attribute, 0, sizeof *attribute);
    extractor_string_dup(&attribute->name, name);
    extractor_string_dup(&attribute->kind, kind);
    extractor_string_dup(&attribute->label, name);
    attribute->required = required;
    attribute->identifies = true;
    attribute->weight = 1.0;
}

void exports_magpie_vertical_description_describe(
    exports_magpie_vertical_description_vertical_info_t *info) {
    memset(info, 0, sizeof *info);
    extractor_string_dup(&info->name, "talks");
    extractor_string_dup(&info->version, "0.1.0");
    extractor_string_dup(&info->summary, "Talks at conferences.");
    extractor_string_dup(&info->object_type, "Talk");
    info->attributes.ptr = calloc(2, sizeof(attribute_t));
    add_attribute(&info->attributes, "title", "text", true);
    add_attribute(&info->attributes, "start", "date-time", false);
}

/* Adds the text of the first element that matches a selector. */
static void add_field(magpie_vertical_pages_borrow_page_t page,
                      magpie_vertical_objects_list_field_t *fields,
                      const char *path, const char *css) {
    extractor_string_t selector;
    magpie_vertical_pages_list_node_t nodes;
    magpie_vertical_pages_error_t error;
    magpie_vertical_pages_node_t root = magpie_vertical_pages_method_page_root(page);
    extractor_string_set(&selector, css);
    if (!magpie_vertical_pages_method_page_select(page, root, &selector, &nodes, &error) ||
        nodes.len == 0)
        return;
    field_t *field = &fields->ptr[fields->len++];
    extractor_string_dup(&field->path, path);
    field->value.tag = MAGPIE_VERTICAL_OBJECTS_VALUE_TEXT;
    magpie_vertical_pages_method_page_text_of(page, nodes.ptr[0], &field->value.val.text);
    field->node.is_some = true;
    field->node.val = nodes.ptr[0];
}

bool exports_magpie_vertical_extraction_extract(
    magpie_vertical_pages_borrow_page_t page,
    exports_magpie_vertical_extraction_list_object_t *objects,
    exports_magpie_vertical_extraction_error_t *error) {
    (void)error;
    magpie_vertical_objects_object_t *talk = calloc(1, sizeof *talk);
    talk->confidence = 0.8;
    talk->fields.ptr = calloc(2, sizeof(field_t));
    add_field(page, &talk->fields, "title", "h1");
    add_field(page, &talk->fields, "start", "time");
    objects->ptr = talk;
    objects->len = talk->fields.len > 0;
    magpie_vertical_pages_page_drop_borrow(page);
    return true;
}
