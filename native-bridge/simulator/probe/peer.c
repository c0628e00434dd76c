/* The side of the probe that makes driver calls: an interpreter of the commands described in probe.h. */
#include "probe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../abi/cuda_types.h"

#define BUFFER_BYTES (64u << 20)
#define MAX_ARGUMENTS 8
#define MAX_VARIABLES 256

typedef struct {
  char name[24];
  /* A number, or the bytes of a handle. */
  union {
    uint64_t number;
    unsigned char bytes[64];
    CUipcMemHandle memory;
    CUipcEventHandle event;
  } as;
} variable;

static variable variables[MAX_VARIABLES];
static int variable_count;
static char *buffer;
static void *driver;
static CUresult (*error_name)(CUresult, const char **);

static variable *named(const char *name, size_t length) {
  for (int i = 0; i < variable_count; i++) {
    if (strlen(variables[i].name) == length && strncmp(variables[i].name, name, length) == 0) return &variables[i];
  }
  if (variable_count == MAX_VARIABLES || length >= sizeof variables[0].name) {
    fprintf(stderr, "probe: too many variables or a long name\n");
    exit(70);
  }
  variable *fresh = &variables[variable_count++];
  memcpy(fresh->name, name, length);
  return fresh;
}

static uint64_t operand(const char *text, size_t length) {
  if (length >= 1 && text[0] >= '0' && text[0] <= '9') return strtoull(text, NULL, 0);
  if (length == 4 && strncmp(text, "null", 4) == 0) return 0;
  if (length == 3 && strncmp(text, "buf", 3) == 0) return (uint64_t)(uintptr_t)buffer;
  if (text[0] == '&') return (uint64_t)(uintptr_t)&named(text + 1, length - 1)->as;
  return named(text, length)->as.number;
}

/* name, name+3, name-other, name%512; a leading '-' is a negative number. */
static uint64_t evaluate(const char *text) {
  if (text[0] == '-') return (uint64_t)strtoll(text, NULL, 0);
  size_t length = strcspn(text, "+-%");
  uint64_t left = operand(text, length);
  char operator = text[length];
  if (!operator) return left;
  uint64_t right = operand(text + length + 1, strlen(text + length + 1));
  return operator == '+' ? left + right : operator == '-' ? left - right : right ? left % right : 0;
}

static const char *result_text(CUresult result) {
  const char *name = NULL;
  if (error_name && error_name(result, &name) == CUDA_SUCCESS && name) return name;
  static char number[32];
  snprintf(number, sizeof number, "%d", (int)result);
  return number;
}

typedef CUresult (*any_call)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* dlsym gives an object pointer; POSIX promises that it may be read as a function pointer. */
static bool symbol(const char *name, void *function) {
  void *found = dlsym(driver, name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

static void call_driver(char **words, int count, char *answer, size_t size) {
  if (strcmp(words[0], "cuIpcOpenMemHandle_v2") == 0) {
    CUresult (*open_memory)(CUdeviceptr *, CUipcMemHandle, unsigned int);
    symbol(words[0], &open_memory);
    variable *handle = named(words[2], strlen(words[2]));
    CUdeviceptr *out = (CUdeviceptr *)(uintptr_t)evaluate(words[1]);
    snprintf(answer, size, "%s", result_text(open_memory(out, handle->as.memory, (unsigned int)evaluate(words[3]))));
    return;
  }
  if (strcmp(words[0], "cuIpcOpenEventHandle") == 0) {
    CUresult (*open_event)(CUevent *, CUipcEventHandle);
    symbol(words[0], &open_event);
    variable *handle = named(words[2], strlen(words[2]));
    snprintf(answer, size, "%s", result_text(open_event((CUevent *)(uintptr_t)evaluate(words[1]), handle->as.event)));
    return;
  }
  any_call function;
  if (!symbol(words[0], &function)) {
    snprintf(answer, size, "NO_SYMBOL");
    return;
  }
  uint64_t a[MAX_ARGUMENTS] = {0};
  for (int i = 1; i < count && i <= MAX_ARGUMENTS; i++) a[i - 1] = evaluate(words[i]);
  snprintf(answer, size, "%s", result_text(function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])));
}

static void hex(const unsigned char *bytes, size_t count, char *out) {
  for (size_t i = 0; i < count; i++) sprintf(out + 2 * i, "%02x", bytes[i]);
}

/* Commands that are no driver calls. False when it is none of them. */
static bool local_command(char **words, int count, char *answer, size_t size) {
  const char *name = words[0];
  if (strcmp(name, "val") == 0 && count == 2) { /* val EXPRESSION: its value */
    snprintf(answer, size, "%llu", (unsigned long long)evaluate(words[1]));
  } else if (strcmp(name, "set") == 0 && count == 3) { /* set NAME EXPRESSION */
    uint64_t number = evaluate(words[2]);
    named(words[1], strlen(words[1]))->as.number = number;
    snprintf(answer, size, "ok");
  } else if (strcmp(name, "get") == 0 && count == 2) { /* get HANDLE: its bytes in hexadecimal */
    hex(named(words[1], strlen(words[1]))->as.bytes, 64, answer);
  } else if (strcmp(name, "put") == 0 && count == 3) { /* put HANDLE HEX */
    variable *handle = named(words[1], strlen(words[1]));
    for (int i = 0; i < 64; i++) {
      unsigned int byte = 0;
      sscanf(words[2] + 2 * i, "%2x", &byte);
      handle->as.bytes[i] = (unsigned char)byte;
    }
    snprintf(answer, size, "ok");
  } else if (strcmp(name, "xor") == 0 && count == 4) { /* xor HANDLE OFFSET BYTE */
    named(words[1], strlen(words[1]))->as.bytes[evaluate(words[2])] ^= (unsigned char)evaluate(words[3]);
    snprintf(answer, size, "ok");
  } else if (strcmp(name, "set32") == 0 && count == 4) { /* set32 HANDLE OFFSET VALUE */
    uint32_t number = (uint32_t)evaluate(words[3]);
    memcpy(&named(words[1], strlen(words[1]))->as.bytes[evaluate(words[2])], &number, 4);
    snprintf(answer, size, "ok");
  } else if (strcmp(name, "get32") == 0 && count == 3) { /* get32 HANDLE OFFSET */
    uint32_t number;
    memcpy(&number, &named(words[1], strlen(words[1]))->as.bytes[evaluate(words[2])], 4);
    snprintf(answer, size, "%u", number);
  } else if (strcmp(name, "peek") == 0 && count == 3) { /* peek ADDRESS COUNT: host bytes in hexadecimal */
    hex((const unsigned char *)(uintptr_t)evaluate(words[1]), evaluate(words[2]), answer);
  } else if (strcmp(name, "poke32") == 0 && count == 3) { /* poke32 ADDRESS VALUE in host memory */
    *(volatile uint32_t *)(uintptr_t)evaluate(words[1]) = (uint32_t)evaluate(words[2]);
    snprintf(answer, size, "ok");
  } else if (strcmp(name, "memset") == 0 && count == 4) { /* memset ADDRESS BYTE COUNT in host memory */
    memset((void *)(uintptr_t)evaluate(words[1]), (int)evaluate(words[2]), evaluate(words[3]));
    snprintf(answer, size, "ok");
  } else if (strcmp(name, "text") == 0 && count == 2) { /* text ADDRESS: the string there, or (null) */
    const char *text = (const char *)(uintptr_t)evaluate(words[1]);
    snprintf(answer, size, "%s", text ? text : "(null)");
  } else if (strcmp(name, "string") == 0 && count == 3) { /* string ADDRESS TEXT: stores a string */
    strcpy((char *)(uintptr_t)evaluate(words[1]), words[2]);
    snprintf(answer, size, "ok");
  } else if (strcmp(name, "sleep") == 0 && count == 2) { /* sleep MILLISECONDS */
    usleep((useconds_t)evaluate(words[1]) * 1000);
    snprintf(answer, size, "ok");
  } else if (strcmp(name, "page") == 0 && count == 3) { /* page NAME COUNT: fresh pages of ordinary memory */
    void *pages = mmap(NULL, evaluate(words[2]) * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    named(words[1], strlen(words[1]))->as.number = (uint64_t)(uintptr_t)pages;
    snprintf(answer, size, "ok");
  } else if (strcmp(name, "clear") == 0 && count == 1) { /* clear: empties the thread's stack of contexts */
    CUresult (*pop)(CUcontext *);
    CUcontext context;
    if (symbol("cuCtxPopCurrent_v2", &pop)) {
      while (pop(&context) == CUDA_SUCCESS) {
      }
    }
    snprintf(answer, size, "ok");
  } else if (strcmp(name, "float") == 0 && count == 2) { /* float NAME: sign and whether finite, of the low 32 bits */
    float number;
    memcpy(&number, &named(words[1], strlen(words[1]))->as, sizeof number);
    snprintf(answer, size, "%s", number != number ? "nan" : number < 0 ? "negative" : number == 0 ? "zero" : "positive");
  } else {
    return false;
  }
  return true;
}

static void obey(char *command, char *answer, size_t size);

typedef struct {
  char *command;
  char *answer;
  size_t size;
} thread_job;

static void *obey_in_thread(void *argument) {
  thread_job *job = argument;
  obey(job->command, job->answer, job->size);
  return NULL;
}

static void obey_in_fork(char *command, char *answer, size_t size) {
  int ends[2];
  if (pipe(ends) != 0) exit(71);
  pid_t child = fork();
  if (child == 0) {
    obey(command, answer, size);
    ssize_t sent = write(ends[1], answer, strlen(answer));
    _exit(sent < 0);
  }
  close(ends[1]);
  ssize_t got = read(ends[0], answer, size - 1);
  answer[got > 0 ? got : 0] = '\0';
  close(ends[0]);
  int status;
  waitpid(child, &status, 0);
  if (got <= 0) snprintf(answer, size, WIFSIGNALED(status) ? "SIGNAL %d" : "EXITED %d",
                         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void obey(char *command, char *answer, size_t size) {
  char *rest = command;
  while (rest) {
    char *one = rest;
    rest = strstr(one, "; ");
    if (rest) {
      *rest = '\0';
      rest += 2;
    }
    if (strncmp(one, "thread ", 7) == 0) {
      thread_job job = {one + 7, answer, size};
      pthread_t thread;
      if (pthread_create(&thread, NULL, obey_in_thread, &job) == 0) pthread_join(thread, NULL);
      continue;
    }
    if (strncmp(one, "fork ", 5) == 0) {
      obey_in_fork(one + 5, answer, size);
      continue;
    }
    if (strncmp(one, "repeat ", 7) == 0) {
      char *command_text = strchr(one + 7, ' ');
      unsigned long times = strtoul(one + 7, NULL, 10);
      for (unsigned long i = 0; command_text && i < times; i++) {
        char again[256];
        snprintf(again, sizeof again, "%s", command_text + 1);
        obey(again, answer, size);
        if (strcmp(answer, "CUDA_SUCCESS") != 0) break;
      }
      continue;
    }
    char *words[MAX_ARGUMENTS + 2];
    int count = 0;
    char *position = NULL;
    for (char *word = strtok_r(one, " ", &position); word && count < MAX_ARGUMENTS + 1;
         word = strtok_r(NULL, " ", &position)) {
      words[count++] = word;
    }
    if (count == 0) continue;
    if (!local_command(words, count, answer, size)) call_driver(words, count, answer, size);
  }
}

int run_peer(const char *library) {
  driver = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!driver) {
    fprintf(stderr, "probe: %s\n", dlerror());
    return 69;
  }
  symbol("cuGetErrorName", &error_name);
  buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (buffer == MAP_FAILED) return 71;
  static char command[8192], answer[4096];
  while (fgets(command, sizeof command, stdin)) {
    command[strcspn(command, "\n")] = '\0';
    if (strcmp(command, "exit") == 0) return 0;
    answer[0] = '\0';
    obey(command, answer, sizeof answer);
    printf("%s\n", answer);
    fflush(stdout);
  }
  /* The probe itself is gone. */
  _exit(0);
}
