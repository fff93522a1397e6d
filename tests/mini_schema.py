# SPDX-License-Identifier: MIT
"""As much of JSON Schema (2020-12) as the schemas of this project use: validate(doc, schema) yields faults."""
import re

TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}
KNOWN = {'$schema', '$id', '$defs', '$ref', 'title', 'description', 'type', 'const', 'enum', 'properties', 'required',
         'additionalProperties', 'items', 'pattern', 'minimum', 'maximum', 'anyOf',
         'minItems', 'propertyNames', 'oneOf', 'examples', 'default'}


def is_type(doc, name):
    if name == 'integer':
        return isinstance(doc, int) and not isinstance(doc, bool)
    if name == 'number':
        return isinstance(doc, (int, float)) and not isinstance(doc, bool)
    return isinstance(doc, TYPES[name]) and (name == 'boolean' or not isinstance(doc, bool))


def validate(doc, schema, root=None, at='$'):
    root = schema if root is None else root
    if schema is True:
        return
    if schema is False:
        yield '%s: not allowed' % at
        return
    unknown = set(schema) - KNOWN
    if unknown:
        raise ValueError('%s: schema words not supported: %s' % (at, unknown))
    if '$ref' in schema:
        target = root
        for part in schema['$ref'].lstrip('#/').split('/'):
            target = target[part]
        yield from validate(doc, target, root, at)
    for word in ('anyOf', 'oneOf'):
        if word in schema:
            hits = [s for s in schema[word] if not list(validate(doc, s, root, at))]
            if not hits or (word == 'oneOf' and len(hits) != 1):
                yield '%s: %d of %s fit' % (at, len(hits), word)
    if 'type' in schema:
        names = schema['type'] if isinstance(schema['type'], list) else [schema['type']]
        if not any(is_type(doc, n) for n in names):
            yield '%s: %r is no %s' % (at, doc, '|'.join(names))
            return
    if 'const' in schema and doc != schema['const']:
        yield '%s: %r is not %r' % (at, doc, schema['const'])
    if 'enum' in schema and doc not in schema['enum']:
        yield '%s: %r is none of %r' % (at, doc, schema['enum'])
    if isinstance(doc, str) and 'pattern' in schema and not re.search(schema['pattern'], doc):
        yield '%s: %r does not match %s' % (at, doc, schema['pattern'])
    if isinstance(doc, (int, float)) and not isinstance(doc, bool):
        if 'minimum' in schema and doc < schema['minimum']:
            yield '%s: %r below %r' % (at, doc, schema['minimum'])
        if 'maximum' in schema and doc > schema['maximum']:
            yield '%s: %r above %r' % (at, doc, schema['maximum'])
    if isinstance(doc, dict):
        for key in schema.get('required', []):
            if key not in doc:
                yield '%s: %s is missing' % (at, key)
        properties = schema.get('properties', {})
        for key, value in doc.items():
            if key in properties:
                yield from validate(value, properties[key], root, at + '.' + key)
            elif 'additionalProperties' in schema:
                yield from validate(value, schema['additionalProperties'], root, at + '.' + key)
            if 'propertyNames' in schema:
                yield from validate(key, schema['propertyNames'], root, at + ' key ' + key)
    if isinstance(doc, list):
        if len(doc) < schema.get('minItems', 0):
            yield '%s: fewer than %d items' % (at, schema['minItems'])
        if 'items' in schema:
            for i, value in enumerate(doc):
                yield from validate(value, schema['items'], root, '%s[%d]' % (at, i))
