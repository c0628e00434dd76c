/** Formats to begin with: what GPU programs commonly have in memory. */

export interface FormatExample {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export const formatExamples: readonly FormatExample[] = [
  {
    id: 'message',
    title: 'Message with a header',
    text: `// A message in a buffer that two processes share.
enum Kind : u16 { Data = 1, Ack, Close = 0xff };

struct Message {
  u32 magic [[hex, note("reads GPUI")]];
  Kind kind;
  u16 flags : { last : 1; compressed : 1; priority : 2; };
  u64 sequence;
  u32 length [[name("bytes of the payload")]];
  padding[4];
  u8 payload[length] [[hex, color("blue")]];
};
`,
  },
  {
    id: 'collective',
    title: 'Ring of a collective library',
    text: `// One connection of a ring: counters of both sides on cache lines of their own, so that
// neither GPU writes what the other one polls, then the slots of a FIFO.
struct Side {
  u64 head;
  u64 tail;
  void *buffer;
  padding[104];
};

struct Connection {
  Side send [[color("green")]];
  Side receive [[color("orange")]];
  i32 sizes[8] [[note("bytes in each slot, -1 while it is empty")]];
  u64 offsets[8] [[hex]];
};
`,
  },
  {
    id: 'flags',
    title: 'Flags of a barrier',
    text: `// One flag for each rank, 128 bytes apart.
const RANKS = 8;

struct Flag {
  u32 arrived;
  u32 generation;
  padding[120];
};

Flag[RANKS];
`,
  },
  {
    id: 'q4_0',
    title: 'Quantised weights, Q4_0 blocks',
    text: `// 32 weights in 18 bytes: weight = scale * (number - 8). The low halves of the
// bytes are weights 0 to 15, the high halves are weights 16 to 31.
struct [[packed]] Block {
  f16 scale;
  u4 numbers[32];
};

Block[];
`,
  },
  {
    id: 'block-table',
    title: 'Paged KV cache: block table',
    text: `// Which block of the cache holds the tokens of each sequence.
struct Table {
  u32 sequences;
  u32 most [[name("blocks of a sequence")]];
  i32 lengths[sequences] [[color("green")]];
  i32 blocks[sequences][most] [[note("-1: none")]];
};
`,
  },
  {
    id: 'tensor',
    title: 'Tensor with a header',
    text: `// A tensor that says what it is.
enum Type : u8 { Float32, Float16, BFloat16, Int8, Float8E4M3 };

struct Tensor {
  char magic[4];
  u8 version;
  Type type;
  u8 dimensions;
  u8 device;
  u64 shape[dimensions];
  u64 strides[dimensions] [[note("in elements")]];
  u64 dataOffset [[hex]];
};
`,
  },
];
