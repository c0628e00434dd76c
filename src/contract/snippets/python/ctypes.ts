/** Python without any package. */
import { type Library, never } from '#contract/snippets/library';
import { blocks, lines } from '#contract/snippets/text';
import { eventImporter, exporter, importsFor, openedAround, preparing } from './driver-calls';
import { eventOpening, exportConstants, importConstants, LINUX, opening, PYTHON } from './shared';

const HOW = 'with nothing but Python and the driver';

export const ctypesLibrary: Library = {
  language: 'python',
  library: 'ctypes',
  name: 'ctypes',
  cannot: never,
  write: (plan, side) => {
    const head = (plan.mechanism === 'event' ? eventOpening : opening)(plan, side, HOW);
    if (side === 'exporter') {
      const imports = lines('import ctypes as c', 'import json', 'import os', 'import sys', 'import uuid');
      return {
        code: `${blocks(head, imports, exportConstants(plan), exporter(plan))}\n`,
        requires: [LINUX, PYTHON],
      };
    }
    const use = `
first = c.create_string_buffer(${plan.first})
check("cuMemcpyDtoH_v2", first, c.c_uint64(data), c.c_size_t(len(first)))
print("first bytes:", first.raw.hex(" "))`;
    return {
      code: `${blocks(
        head,
        importsFor(plan),
        importConstants(plan),
        preparing(plan),
        plan.mechanism === 'event' ? eventImporter() : openedAround(plan, use),
      )}\n`,
      requires: [LINUX, PYTHON],
    };
  },
};
