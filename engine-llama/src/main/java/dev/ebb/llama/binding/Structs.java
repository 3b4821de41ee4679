package dev.ebb.llama.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;

/** The structures of llama.h and ggml.h at build b4916 that are exchanged, and their fields. */
final class Structs {

  static final StructLayout MODEL_PARAMS =
      MemoryLayout.structLayout(
          ADDRESS.withName("devices"),
          JAVA_INT.withName("n_gpu_layers"),
          JAVA_INT.withName("split_mode"),
          JAVA_INT.withName("main_gpu"),
          MemoryLayout.paddingLayout(4),
          ADDRESS.withName("tensor_split"),
          ADDRESS.withName("progress_callback"),
          ADDRESS.withName("progress_callback_user_data"),
          ADDRESS.withName("kv_overrides"),
          JAVA_BOOLEAN.withName("vocab_only"),
          JAVA_BOOLEAN.withName("use_mmap"),
          JAVA_BOOLEAN.withName("use_mlock"),
          JAVA_BOOLEAN.withName("check_tensors"),
          MemoryLayout.paddingLayout(4));

  static final StructLayout CONTEXT_PARAMS =
      MemoryLayout.structLayout(
          JAVA_INT.withName("n_ctx"),
          JAVA_INT.withName("n_batch"),
          JAVA_INT.withName("n_ubatch"),
          JAVA_INT.withName("n_seq_max"),
          JAVA_INT.withName("n_threads"),
          JAVA_INT.withName("n_threads_batch"),
          JAVA_INT.withName("rope_scaling_type"),
          JAVA_INT.withName("pooling_type"),
          JAVA_INT.withName("attention_type"),
          JAVA_FLOAT.withName("rope_freq_base"),
          JAVA_FLOAT.withName("rope_freq_scale"),
          JAVA_FLOAT.withName("yarn_ext_factor"),
          JAVA_FLOAT.withName("yarn_attn_factor"),
          JAVA_FLOAT.withName("yarn_beta_fast"),
          JAVA_FLOAT.withName("yarn_beta_slow"),
          JAVA_INT.withName("yarn_orig_ctx"),
          JAVA_FLOAT.withName("defrag_thold"),
          MemoryLayout.paddingLayout(4),
          ADDRESS.withName("cb_eval"),
          ADDRESS.withName("cb_eval_user_data"),
          JAVA_INT.withName("type_k"),
          JAVA_INT.withName("type_v"),
          JAVA_BOOLEAN.withName("logits_all"),
          JAVA_BOOLEAN.withName("embeddings"),
          JAVA_BOOLEAN.withName("offload_kqv"),
          JAVA_BOOLEAN.withName("flash_attn"),
          JAVA_BOOLEAN.withName("no_perf"),
          MemoryLayout.paddingLayout(3),
          ADDRESS.withName("abort_callback"),
          ADDRESS.withName("abort_callback_data"));

  static final StructLayout BATCH =
      MemoryLayout.structLayout(
          JAVA_INT.withName("n_tokens"),
          MemoryLayout.paddingLayout(4),
          ADDRESS.withName("token"),
          ADDRESS.withName("embd"),
          ADDRESS.withName("pos"),
          ADDRESS.withName("n_seq_id"),
          ADDRESS.withName("seq_id"),
          ADDRESS.withName("logits"));

  static final StructLayout CACHE_VIEW =
      MemoryLayout.structLayout(
          JAVA_INT.withName("n_cells"),
          JAVA_INT.withName("n_seq_max"),
          JAVA_INT.withName("token_count"),
          JAVA_INT.withName("used_cells"),
          JAVA_INT.withName("max_contiguous"),
          JAVA_INT.withName("max_contiguous_idx"),
          ADDRESS.withName("cells"),
          ADDRESS.withName("cells_sequences"));

  static final StructLayout SAMPLER_CHAIN_PARAMS =
      MemoryLayout.structLayout(JAVA_BOOLEAN.withName("no_perf"));

  static final StructLayout TOKEN_DATA =
      MemoryLayout.structLayout(
          JAVA_INT.withName("id"), JAVA_FLOAT.withName("logit"), JAVA_FLOAT.withName("p"));

  static final StructLayout TOKEN_DATA_ARRAY =
      MemoryLayout.structLayout(
          ADDRESS.withName("data"),
          JAVA_LONG.withName("size"),
          JAVA_LONG.withName("selected"),
          JAVA_BOOLEAN.withName("sorted"),
          MemoryLayout.paddingLayout(7));

  static final StructLayout TENSOR =
      MemoryLayout.structLayout(
          JAVA_INT.withName("type"),
          MemoryLayout.paddingLayout(4),
          ADDRESS.withName("buffer"),
          MemoryLayout.sequenceLayout(4, JAVA_LONG).withName("ne"),
          MemoryLayout.sequenceLayout(4, JAVA_LONG).withName("nb"),
          JAVA_INT.withName("op"),
          MemoryLayout.sequenceLayout(16, JAVA_INT).withName("op_params"),
          JAVA_INT.withName("flags"),
          MemoryLayout.sequenceLayout(10, ADDRESS).withName("src"),
          ADDRESS.withName("view_src"),
          JAVA_LONG.withName("view_offs"),
          ADDRESS.withName("data"),
          MemoryLayout.sequenceLayout(64, ValueLayout.JAVA_BYTE).withName("name"));

  static final StructLayout CHAT_MESSAGE =
      MemoryLayout.structLayout(ADDRESS.withName("role"), ADDRESS.withName("content"));

  private Structs() {}

  static long offset(StructLayout struct, String field) {
    return struct.byteOffset(MemoryLayout.PathElement.groupElement(field));
  }

  static int intOf(StructLayout struct, MemorySegment memory, String field) {
    return memory.get(JAVA_INT, offset(struct, field));
  }

  static void set(StructLayout struct, MemorySegment memory, String field, int value) {
    memory.set(JAVA_INT, offset(struct, field), value);
  }

  static void set(StructLayout struct, MemorySegment memory, String field, boolean value) {
    memory.set(JAVA_BOOLEAN, offset(struct, field), value);
  }

  static void set(StructLayout struct, MemorySegment memory, String field, MemorySegment value) {
    memory.set(ADDRESS, offset(struct, field), value);
  }
}
