/* Devices: how many there are, which of them this process sees, and what they answer about themselves. */
#include "devices.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEVICE_NAME "Simulated GPU"
#define DEFAULT_BYTES (8ull << 30)

static int machine_count;
static int visible[SIM_MAX_DEVICES];
static int visible_count;
static uint64_t device_bytes = DEFAULT_BYTES;

/* Stable and recognisable: version 8 (custom) UUIDs whose last byte is the device's number. */
static void device_uuid(int physical, unsigned char out[16]) {
  static const unsigned char base[16] = {0x67, 0x70, 0x75, 0x69, 0x70, 0x63, 0x80, 0x73,
                                         0x80, 0x69, 0x6d, 0x75, 0x6c, 0x61, 0x74, 0x00};
  memcpy(out, base, 16);
  out[15] = (unsigned char)physical;
}

/* "GPU-" and 8-4-4-4-12 hexadecimal digits. */
static void uuid_text(int physical, char out[41]) {
  unsigned char u[16];
  device_uuid(physical, u);
  snprintf(out, 41, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3],
           u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

/* "12884901888", "512 MiB", "16GiB"; 0 when it is no size. */
static uint64_t parse_bytes(const char *text) {
  char *end;
  unsigned long long number = strtoull(text, &end, 10);
  while (isspace((unsigned char)*end)) end++;
  int shift = 0;
  if (strncasecmp(end, "KiB", 3) == 0) shift = 10;
  else if (strncasecmp(end, "MiB", 3) == 0) shift = 20;
  else if (strncasecmp(end, "GiB", 3) == 0) shift = 30;
  else if (strncasecmp(end, "TiB", 3) == 0) shift = 40;
  else if (*end != '\0') return 0;
  return number > (UINT64_MAX >> shift) ? 0 : (uint64_t)number << shift;
}

/* One entry of CUDA_VISIBLE_DEVICES: an index, or the beginning of a UUID. -1 for neither. */
static int parse_visible(const char *entry, size_t length) {
  char text[64];
  while (length && isspace((unsigned char)*entry)) entry++, length--;
  while (length && isspace((unsigned char)entry[length - 1])) length--;
  if (length == 0 || length >= sizeof text) return -1;
  memcpy(text, entry, length);
  text[length] = '\0';
  if (strncasecmp(text, "GPU-", 4) == 0 && length > 4) {
    int match = -1;
    for (int i = 0; i < machine_count; i++) {
      char uuid[41];
      uuid_text(i, uuid);
      if (strncasecmp(uuid, text, length) != 0) continue;
      if (match >= 0) return -1;
      match = i;
    }
    return match;
  }
  char *end;
  long index = strtol(text, &end, 10);
  return *end == '\0' && index >= 0 && index < machine_count ? (int)index : -1;
}

CUresult sim_devices_start(void) {
  const char *count_text = getenv("GPU_IPC_SIM_DEVICES");
  long count = count_text && *count_text ? strtol(count_text, NULL, 10) : 1;
  machine_count = count < 0 ? 0 : count > SIM_MAX_DEVICES ? SIM_MAX_DEVICES : (int)count;
  const char *memory_text = getenv("GPU_IPC_SIM_MEMORY");
  uint64_t bytes = memory_text ? parse_bytes(memory_text) : 0;
  device_bytes = bytes >= SIM_GRANULE ? bytes / SIM_GRANULE * SIM_GRANULE : DEFAULT_BYTES;

  visible_count = 0;
  const char *list = getenv("CUDA_VISIBLE_DEVICES");
  if (!list) {
    for (int i = 0; i < machine_count; i++) visible[visible_count++] = i;
  } else {
    /* Entries up to the first that names no device; a device named twice is an error. */
    while (*list) {
      size_t length = strcspn(list, ",");
      int index = parse_visible(list, length);
      if (index < 0) break;
      for (int i = 0; i < visible_count; i++) {
        if (visible[i] == index) return CUDA_ERROR_INVALID_DEVICE;
      }
      visible[visible_count++] = index;
      list += length;
      if (*list == ',') list++;
    }
  }
  return visible_count ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

int sim_device_count(void) { return visible_count; }

int sim_device_physical(CUdevice device) {
  return device >= 0 && device < visible_count ? visible[device] : -1;
}

int sim_device_visible(int physical) {
  for (int i = 0; i < visible_count; i++) {
    if (visible[i] == physical) return i;
  }
  return -1;
}

uint64_t sim_device_bytes(void) { return device_bytes; }

CUresult cuDeviceGetCount(int *count) {
  SIM_ENTER(cuDeviceGetCount);
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = visible_count;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  SIM_ENTER(cuDeviceGet);
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal < 0 || ordinal >= visible_count) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev) {
  SIM_ENTER(cuDeviceGetName);
  if (!name || len == 0) return CUDA_ERROR_INVALID_VALUE;
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  /* A negative length counts as a very large one. */
  snprintf(name, len < 0 ? sizeof DEVICE_NAME : (size_t)len, "%s", DEVICE_NAME);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) {
  SIM_ENTER(cuDeviceGetUuid_v2);
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  int physical = sim_device_physical(dev);
  if (physical < 0) return CUDA_ERROR_INVALID_DEVICE;
  unsigned char bytes[16];
  device_uuid(physical, bytes);
  memcpy(uuid->bytes, bytes, sizeof bytes);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev) { return cuDeviceGetUuid_v2(uuid, dev); }

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev) {
  SIM_ENTER(cuDeviceTotalMem_v2);
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  if (sim_device_physical(dev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = device_bytes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev) {
  SIM_ENTER(cuDeviceGetAttribute);
  if (!pi) return CUDA_ERROR_INVALID_VALUE;
  int physical = sim_device_physical(dev);
  if (physical < 0) return CUDA_ERROR_INVALID_DEVICE;
  if (attrib == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) {
    *pi = physical + 1;
    return CUDA_SUCCESS;
  }
  switch (attrib) {
#define X(name, id, value)         \
  case CU_DEVICE_ATTRIBUTE_##name: \
    *pi = value;                   \
    return CUDA_SUCCESS;
#include "../abi/device_attributes.def"
#undef X
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev) {
  SIM_ENTER(cuDeviceGetPCIBusId);
  if (!pciBusId || len < (int)sizeof "0000:00:00.0") return CUDA_ERROR_INVALID_VALUE;
  int physical = sim_device_physical(dev);
  if (physical < 0) return CUDA_ERROR_INVALID_DEVICE;
  snprintf(pciBusId, (size_t)len, "0000:00:%02X.0", physical + 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId) {
  SIM_ENTER(cuDeviceGetByPCIBusId);
  if (!dev || !pciBusId) return CUDA_ERROR_INVALID_VALUE;
  unsigned domain = 0, bus, device, function = 0;
  if (sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &device, &function) < 3) {
    domain = function = 0;
    if (sscanf(pciBusId, "%x:%x.%x", &bus, &device, &function) < 2) return CUDA_ERROR_INVALID_VALUE;
  }
  int found = domain == 0 && bus == 0 && function == 0 && device > 0 ? sim_device_visible((int)device - 1) : -1;
  if (found < 0) return CUDA_ERROR_INVALID_DEVICE;
  *dev = found;
  return CUDA_SUCCESS;
}
