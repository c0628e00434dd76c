/* What the driver says about a pointer. */
#include <string.h>

#include "blocks.h"
#include "contexts.h"
#include "devices.h"
#include "physical_memory.h"
#include "pools.h"

typedef union {
  uint64_t number;
  void *pointer;
  unsigned char bytes[16];
} attribute_value;

/* How many bytes an attribute's value has; 0 for an attribute that does not exist. */
static size_t width_of(CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return 8;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return 4;
    /* The struct has 16 bytes, of which the driver writes 12. */
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      return 12;
  }
  return 0;
}

/* The block of registered memory is the whole pages it lies in. */
static uint64_t mapping_bytes(const sim_block *block) {
  return block->kind == SIM_KIND_REGISTERED ? SIM_ROUND_UP(block->base % 4096 + block->bytes, 4096) : block->bytes;
}

/* Of the current device, else of the memory's own. */
static unsigned int access_of(const sim_block *block) {
  if (!block->pool && !block->backing) return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CUcontext context;
  bool current = sim_current(&context) == CUDA_SUCCESS;
  int device = current ? sim_device_physical(context->device) : block->physical;
  return block->pool ? sim_pool_access(block->pool, device) : block->access[device];
}

static CUresult value_of(const sim_allocation *allocation, CUpointer_attribute attribute, uint64_t address,
                         attribute_value *value) {
  const sim_block *block = allocation->block;
  bool host = sim_kind_is_host(block->kind);
  memset(value, 0, sizeof *value);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      value->pointer = block->context;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      value->number = block->kind == SIM_KIND_HOST || block->kind == SIM_KIND_REGISTERED ? CU_MEMORYTYPE_HOST
                                                                                         : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      value->number = address;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!host) return CUDA_ERROR_INVALID_VALUE;
      value->number = address;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      value->number = allocation->sync_memops;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      value->number = allocation->buffer_id;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      value->number = block->kind == SIM_KIND_MANAGED;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      value->number = (uint64_t)block->device;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      value->number = block->kind == SIM_KIND_DEVICE;
      return CUDA_SUCCESS;
    /* Of mapped memory the whole reservation. */
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      value->number = block->reservation ? block->reservation->base : allocation->base;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      value->number = block->reservation ? block->reservation->bytes : allocation->size;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      value->number = 1;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      value->number = block->kind == SIM_KIND_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      value->number = access_of(block);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      value->pointer = block->pool;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      value->number = mapping_bytes(block);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      value->number = block->kind == SIM_KIND_REGISTERED ? block->base / 4096 * 4096 : block->base;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      value->number = block->id;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      value->number = block->kind == SIM_KIND_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      if (block->pool) value->number = block->pool->options.handle_types;
      if (block->backing) value->number = block->backing->handle_types;
      return CUDA_SUCCESS;
    /* Nobody can use them without the real driver's kernel interface, so they stay zero. */
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      return block->kind == SIM_KIND_HOST || block->kind == SIM_KIND_REGISTERED ? CUDA_ERROR_INVALID_VALUE
                                                                                : CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  SIM_ENTER(cuPointerGetAttribute);
  size_t width = width_of(attribute);
  if (!data || width == 0) return CUDA_ERROR_INVALID_VALUE;
  attribute_value value;
  sim_lock_take();
  sim_allocation *allocation = sim_find(ptr);
  CUresult result = allocation ? value_of(allocation, attribute, ptr, &value) : CUDA_ERROR_INVALID_VALUE;
  sim_lock_drop();
  if (result == CUDA_SUCCESS) memcpy(data, &value, width);
  return result;
}

/* What the call below says about an address of nobody, which is no error there. False: it leaves the value alone. */
static bool value_of_nobody(CUpointer_attribute attribute, uint64_t address, attribute_value *value) {
  memset(value, 0, sizeof *value);
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) value->number = (uint64_t)-2;
  if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER) value->number = address;
  return attribute != CU_POINTER_ATTRIBUTE_RANGE_START_ADDR && attribute != CU_POINTER_ATTRIBUTE_RANGE_SIZE;
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr ptr) {
  SIM_ENTER(cuPointerGetAttributes);
  if (numAttributes == 0 || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int i = 0; i < numAttributes; i++) {
    if (!data[i] || width_of(attributes[i]) == 0 || attributes[i] == CU_POINTER_ATTRIBUTE_P2P_TOKENS) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  sim_lock_take();
  sim_allocation *allocation = sim_find(ptr);
  for (unsigned int i = 0; i < numAttributes; i++) {
    attribute_value value;
    if (!allocation && !value_of_nobody(attributes[i], ptr, &value)) continue;
    if (allocation && value_of(allocation, attributes[i], ptr, &value) != CUDA_SUCCESS) value.number = 0;
    memcpy(data[i], &value, width_of(attributes[i]));
  }
  sim_lock_drop();
  return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  SIM_ENTER(cuPointerSetAttribute);
  if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return CUDA_ERROR_INVALID_VALUE;
  unsigned int on;
  memcpy(&on, value, sizeof on);
  sim_lock_take();
  sim_allocation *allocation = sim_find(ptr);
  /* It can be switched on only, and device memory has it on from the start. */
  if (allocation && on) allocation->sync_memops = true;
  sim_lock_drop();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
