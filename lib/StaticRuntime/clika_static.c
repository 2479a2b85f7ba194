/* What an object that emit_object() wrote needs beside the C and math libraries. C11; one file, so that it can be
 * compiled for another machine as it is. Any number of objects and threads may use it. */
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

enum { ALIGNMENT = 64, VERSION = 1 };

typedef void (*entry_function)(const void *const *inputs, const int64_t *const *sizes, void *planned,
                               int64_t *result_sizes);

/* Memory of one call, kept for the next. */
typedef struct {
  void *data;
  size_t bytes;
  bool used;
} chunk;

typedef struct {
  void *data[2];
  size_t bytes[2];
  int current;
  size_t filled;
} slot;

typedef struct {
  void *planned;
  void **results;
  const int64_t **sizes;
  chunk *chunks;
  size_t chunk_count;
  slot *slots;
  size_t slot_count;
} memory;

/* Laid down by lib/Pipelines/EmitObject.cpp. */
typedef struct {
  int64_t version, inputs, results, planned_bytes;
  entry_function entry;
  const char *name, *features;
  const char *const *ports; /* names: inputs, then results */
  const int64_t *bytes;     /* of each of them */
  _Atomic(memory *) idle;
  _Atomic int64_t suits; /* 1: the CPU has what the code needs */
} program;

typedef struct invocation {
  memory *memory;
  void *const *results;
  struct invocation *outer;
  jmp_buf exit;
} invocation;

static _Thread_local invocation *current;
static _Thread_local char error_text[1024];

const char *clika_static_error(void) { return error_text; }

static void report(const char *name, const char *format, const char *what) {
  int used = snprintf(error_text, sizeof error_text, "%s: ", name);
  if (used >= 0 && (size_t)used < sizeof error_text)
    snprintf(error_text + used, sizeof error_text - (size_t)used, format, what);
}

static void *aligned(size_t bytes) {
  if (bytes > SIZE_MAX / 2)
    return NULL;
  /* The further line keeps neighbours of equal power-of-two sizes out of the same cache sets. */
  return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT);
}

static void leave(const char *message) {
  snprintf(error_text, sizeof error_text, "%s", message);
  longjmp(current->exit, 1);
}

static void no_memory(int64_t bytes) {
  char text[96];
  snprintf(text, sizeof text, "there is no memory for %lld bytes of an intermediate result", (long long)bytes);
  leave(text);
}

/* What generated code calls. */

void *clika_rt_alloc(int64_t wanted) {
  memory *own = current->memory;
  size_t bytes = (size_t)wanted;
  chunk *best = NULL;
  for (size_t i = 0; i != own->chunk_count; ++i) {
    chunk *each = &own->chunks[i];
    if (!each->used && each->bytes >= bytes && (!best || each->bytes < best->bytes))
      best = each;
  }
  if (!best || best->bytes / 4 > bytes + 4096) {
    chunk *more = realloc(own->chunks, (own->chunk_count + 1) * sizeof *more);
    if (!more)
      no_memory(wanted);
    own->chunks = more;
    best = &more[own->chunk_count];
    best->data = aligned(bytes);
    best->bytes = bytes;
    if (!best->data)
      no_memory(wanted);
    ++own->chunk_count;
  }
  best->used = true;
  return best->data;
}

void clika_rt_free(void *data) {
  memory *own = current->memory;
  for (size_t i = 0; i != own->chunk_count; ++i)
    if (own->chunks[i].data == data)
      own->chunks[i].used = false;
}

void *clika_rt_result(int64_t index, int64_t bytes) {
  (void)bytes;
  return current->results[index];
}

static slot *slot_at(int64_t number) {
  memory *own = current->memory;
  size_t count = (size_t)number + 1;
  if (count > own->slot_count) {
    slot *more = realloc(own->slots, count * sizeof *more);
    if (!more)
      no_memory((int64_t)(count * sizeof *more));
    memset(more + own->slot_count, 0, (count - own->slot_count) * sizeof *more);
    own->slots = more;
    own->slot_count = count;
  }
  return &own->slots[number];
}

static void *widen(slot *own, size_t bytes, size_t kept) {
  int at = own->current;
  if (own->data[at] && own->bytes[at] >= bytes)
    return own->data[at];
  size_t wanted = own->bytes[at] + own->bytes[at] / 2;
  if (wanted < bytes)
    wanted = bytes;
  void *data = aligned(wanted);
  if (!data)
    no_memory((int64_t)wanted);
  if (kept)
    memcpy(data, own->data[at], kept);
  free(own->data[at]);
  own->data[at] = data;
  own->bytes[at] = wanted;
  return data;
}

/* What clika_rt_slot_load returned before stays good until the next store but one. */
void clika_rt_slot_store(int64_t number, const void *data, int64_t bytes) {
  slot *own = slot_at(number);
  own->current ^= 1;
  void *room = widen(own, (size_t)bytes, 0);
  if (bytes)
    memcpy(room, data, (size_t)bytes);
}

void clika_rt_slot_begin(int64_t number) {
  slot *own = slot_at(number);
  own->filled = 0;
  widen(own, 1, 0);
}

void clika_rt_slot_append(int64_t number, const void *data, int64_t bytes) {
  slot *own = slot_at(number);
  if ((size_t)bytes > SIZE_MAX / 4 - own->filled)
    no_memory(bytes);
  char *room = widen(own, own->filled + (size_t)bytes, own->filled);
  if (bytes)
    memcpy(room + own->filled, data, (size_t)bytes);
  own->filled += (size_t)bytes;
}

void *clika_rt_slot_load(int64_t number) {
  memory *own = current->memory;
  return (size_t)number < own->slot_count ? own->slots[number].data[own->slots[number].current] : NULL;
}

void clika_rt_fail(const char *message) { leave(message); }

void clika_rt_parallel(void (*body)(void *, int64_t, int64_t, int64_t), void *context, int64_t count,
                       int64_t picoseconds) {
  (void)picoseconds;
  body(context, 0, count, 0);
}

/* The CPU: 1 it has the feature, 0 it lacks it, -1 nobody here knows the name. */

#if defined(__x86_64__)

static int has_feature(const char *name, size_t length) {
  enum { EAX, EBX, ECX, EDX };
  static const struct {
    const char *name;
    unsigned leaf, subleaf;
    int where, bit, state;
  } all[] = {
#define FEATURE(name, leaf, subleaf, where, bit, state) {name, leaf, subleaf, where, bit, state},
#include "cpu_x86.def"
#undef FEATURE
  };
  unsigned words[4];
  for (size_t i = 0; i != sizeof all / sizeof *all; ++i) {
    if (strlen(all[i].name) != length || memcmp(all[i].name, name, length) != 0)
      continue;
    if (all[i].state) {
      unsigned low = 0, high = 0, needed = all[i].state == 2 ? 0xe6 : 0x6;
      if (!__get_cpuid(1, &words[EAX], &words[EBX], &words[ECX], &words[EDX]) || !(words[ECX] >> 27 & 1))
        return 0;
      __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
      if ((low & needed) != needed)
        return 0;
    }
    if (!__get_cpuid_count(all[i].leaf, all[i].subleaf, &words[EAX], &words[EBX], &words[ECX], &words[EDX]))
      return 0;
    return (int)(words[all[i].where] >> all[i].bit & 1);
  }
  return -1;
}

#elif defined(__aarch64__)

static int has_feature(const char *name, size_t length) {
  static const struct {
    const char *name;
    int word;
    unsigned long bits;
  } all[] = {
#define FEATURE(name, word, bits) {name, word, bits},
#include "cpu_aarch64.def"
#undef FEATURE
  };
  for (size_t i = 0; i != sizeof all / sizeof *all; ++i)
    if (strlen(all[i].name) == length && memcmp(all[i].name, name, length) == 0)
      return (getauxval(all[i].word == 1 ? AT_HWCAP : AT_HWCAP2) & all[i].bits) == all[i].bits;
  return -1;
}

#else
#error "emit_object() makes objects for x86-64 and aarch64"
#endif

static bool suits_cpu(program *own) {
  if (atomic_load_explicit(&own->suits, memory_order_relaxed))
    return true;
  char missing[512] = "";
  size_t used = 0;
  for (const char *at = own->features; *at;) {
    size_t length = strcspn(at, ",");
    int has = has_feature(at, length);
    if (has < 0) {
      report(own->name,
             "the static runtime does not know the CPU feature at '%.32s'; link that of the object's release", at);
      return false;
    }
    if (!has && used + length + 3 < sizeof missing)
      used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%.*s", used ? ", " : "", (int)length, at);
    at += length;
    if (*at == ',')
      ++at;
  }
  if (used) {
    report(own->name, "the code needs what this CPU lacks: %s; emit the object with a target_cpu whose code it runs",
           missing);
    return false;
  }
  atomic_store_explicit(&own->suits, 1, memory_order_relaxed);
  return true;
}

static void release(memory *own, int64_t results) {
  if (!own)
    return;
  free(own->planned);
  if (own->results)
    for (int64_t i = 0; i != results; ++i)
      free(own->results[i]);
  free(own->results);
  free(own->sizes);
  for (size_t i = 0; i != own->chunk_count; ++i)
    free(own->chunks[i].data);
  free(own->chunks);
  for (size_t i = 0; i != own->slot_count; ++i) {
    free(own->slots[i].data[0]);
    free(own->slots[i].data[1]);
  }
  free(own->slots);
  free(own);
}

static memory *new_memory(const program *own) {
  memory *result = calloc(1, sizeof *result);
  if (!result)
    return NULL;
  result->planned = aligned((size_t)own->planned_bytes);
  result->results = calloc((size_t)own->results + 1, sizeof *result->results);
  result->sizes = calloc((size_t)own->inputs + 1, sizeof *result->sizes);
  if (result->planned && result->results && result->sizes)
    return result;
  release(result, own->results);
  return NULL;
}

/* Generated code writes to aligned memory alone: `moved` has where it writes each result to. */
static bool place_results(const program *own, void *const *results, memory *kept, void **moved) {
  for (int64_t i = 0; i != own->results; ++i) {
    moved[i] = results[i];
    if ((uintptr_t)results[i] % ALIGNMENT == 0 && results[i])
      continue;
    if (!kept->results[i])
      kept->results[i] = aligned((size_t)own->bytes[own->inputs + i]);
    if (!kept->results[i])
      return false;
    moved[i] = kept->results[i];
  }
  return true;
}

static bool enter(invocation *call, const program *own, const void *const *inputs) {
  if (setjmp(call->exit) != 0)
    return false;
  int64_t none[1] = {0};
  own->entry(inputs, call->memory->sizes, call->memory->planned, none);
  return true;
}

static int run(program *own, const void *const *inputs, void *const *results, void **moved) {
  memory *kept = atomic_exchange_explicit(&own->idle, NULL, memory_order_acquire);
  if (!kept)
    kept = new_memory(own);
  if (!kept || !place_results(own, results, kept, moved)) {
    release(kept, own->results);
    report(own->name, "there is no memory for %s", "the intermediate results");
    return 1;
  }
  invocation call;
  call.memory = kept;
  call.results = moved;
  call.outer = current;
  current = &call;
  bool finished = enter(&call, own, inputs);
  current = call.outer;
  for (int64_t i = 0; finished && i != own->results; ++i)
    if (moved[i] != results[i] && results[i])
      memcpy(results[i], moved[i], (size_t)own->bytes[own->inputs + i]);
  for (size_t i = 0; i != kept->chunk_count; ++i)
    kept->chunks[i].used = false;
  memory *none = NULL;
  if (!atomic_compare_exchange_strong_explicit(&own->idle, &none, kept, memory_order_release, memory_order_relaxed))
    release(kept, own->results);
  return finished ? 0 : 1;
}

/* Called by the object's function. `inputs` has the constants at its end, `moved` is room for as many pointers as there
 * are results. */
int32_t clika_static_run(program *own, const void *const *inputs, void *const *results, void **moved) {
  error_text[0] = 0;
  if (own->version != VERSION) {
    report(own->name, "the object is of another release than the static runtime%s", "; link that of its release");
    return 1;
  }
  for (int64_t i = 0; i != own->inputs + own->results; ++i) {
    const void *given = i < own->inputs ? inputs[i] : results[i - own->inputs];
    if (!given && own->bytes[i]) {
      report(own->name, "the pointer '%s' is null", own->ports[i]);
      return 1;
    }
  }
  return suits_cpu(own) ? run(own, inputs, results, moved) : 1;
}
