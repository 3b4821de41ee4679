package dev.ebb.llama.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.ebb.host.errors.UserError;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * The C functions in use, one field each, with the name they have in llama.h less its prefix. The
 * signature of a function is derived from the interface of its field.
 */
@SuppressWarnings("restricted")
final class Native {

  // Signatures. They are public for the proxies of the JDK.

  public interface Start {
    void call();
  }

  public interface NewStruct {
    MemorySegment call(SegmentAllocator into);
  }

  public interface Opening {
    MemorySegment call(MemorySegment first, MemorySegment params);
  }

  public interface NewObject {
    MemorySegment call();
  }

  public interface NewOfStruct {
    MemorySegment call(MemorySegment params);
  }

  public interface NewOfInt {
    MemorySegment call(int value);
  }

  public interface NewOfFloat {
    MemorySegment call(float value);
  }

  public interface NewOfFloatAndSize {
    MemorySegment call(float value, long size);
  }

  public interface NewView {
    MemorySegment call(SegmentAllocator into, MemorySegment object, int value);
  }

  public interface Procedure {
    void call(MemorySegment object);
  }

  public interface Procedure2 {
    void call(MemorySegment object, MemorySegment other);
  }

  public interface IntOf {
    int call(MemorySegment object);
  }

  public interface LongOf {
    long call(MemorySegment object);
  }

  public interface PartOf {
    MemorySegment call(MemorySegment object);
  }

  public interface PartAt {
    MemorySegment call(MemorySegment object, int index);
  }

  public interface PartNamed {
    MemorySegment call(MemorySegment object, MemorySegment name);
  }

  public interface FlagOf {
    boolean call(MemorySegment object);
  }

  public interface FlagAt {
    boolean call(MemorySegment object, int index);
  }

  public interface IntOfStruct {
    int call(MemorySegment object, MemorySegment struct);
  }

  public interface Describe {
    int call(MemorySegment object, MemorySegment buffer, long size);
  }

  public interface LookUp {
    int call(MemorySegment object, MemorySegment key, MemorySegment buffer, long size);
  }

  public interface Tokenize {
    int call(
        MemorySegment vocab,
        MemorySegment text,
        int length,
        MemorySegment tokens,
        int size,
        boolean special,
        boolean parse);
  }

  public interface ToPiece {
    int call(
        MemorySegment vocab, int token, MemorySegment out, int size, int strip, boolean special);
  }

  public interface Remove {
    boolean call(MemorySegment context, int sequence, int from, int to);
  }

  public interface Share {
    void call(MemorySegment context, int sequence, int other, int from, int to);
  }

  public interface SizeOf {
    long call(MemorySegment context, int sequence);
  }

  public interface CopyState {
    long call(MemorySegment context, MemorySegment buffer, long size, int sequence);
  }

  public interface ApplyTemplate {
    int call(
        MemorySegment template,
        MemorySegment messages,
        long count,
        boolean answer,
        MemorySegment out,
        int size);
  }

  public interface Sample {
    int call(MemorySegment sampler, MemorySegment context, int index);
  }

  public interface Accept {
    void call(MemorySegment sampler, int token);
  }

  public interface NewPenalties {
    MemorySegment call(int last, float repetition, float frequency, float presence);
  }

  public interface NewGrammar {
    MemorySegment call(MemorySegment vocab, MemorySegment grammar, MemorySegment root);
  }

  private static final Linker LINKER = Linker.nativeLinker();

  private final SymbolLookup library = NativeLibrary.open();

  final Start backendInit = bind("llama_backend_init", Start.class);
  final Procedure2 logSet = bind("llama_log_set", Procedure2.class);
  final NewOfInt opName = bind("ggml_op_name", NewOfInt.class);

  final NewStruct modelDefaultParams =
      bind(
          "llama_model_default_params",
          NewStruct.class,
          FunctionDescriptor.of(Structs.MODEL_PARAMS));
  final Opening modelLoad =
      bind(
          "llama_model_load_from_file",
          Opening.class,
          FunctionDescriptor.of(ADDRESS, ADDRESS, Structs.MODEL_PARAMS));
  final Procedure modelFree = bind("llama_model_free", Procedure.class);
  final PartOf vocab = bind("llama_model_get_vocab", PartOf.class);
  final IntOf layers = bind("llama_model_n_layer", IntOf.class);
  final IntOf heads = bind("llama_model_n_head", IntOf.class);
  final IntOf kvHeads = bind("llama_model_n_head_kv", IntOf.class);
  final IntOf embedding = bind("llama_model_n_embd", IntOf.class);
  final IntOf trainedContext = bind("llama_model_n_ctx_train", IntOf.class);
  final LongOf modelSize = bind("llama_model_size", LongOf.class);
  final FlagOf hasEncoder = bind("llama_model_has_encoder", FlagOf.class);
  final FlagOf recurrent = bind("llama_model_is_recurrent", FlagOf.class);
  final Describe describe = bind("llama_model_desc", Describe.class);
  final LookUp meta = bind("llama_model_meta_val_str", LookUp.class);
  final PartNamed chatTemplate = bind("llama_model_chat_template", PartNamed.class);
  final ApplyTemplate applyTemplate = bind("llama_chat_apply_template", ApplyTemplate.class);

  final IntOf vocabSize = bind("llama_vocab_n_tokens", IntOf.class);
  final IntOf vocabKind = bind("llama_vocab_type", IntOf.class);
  final IntOf endOfText = bind("llama_vocab_eos", IntOf.class);
  final FlagAt endOfGeneration = bind("llama_vocab_is_eog", FlagAt.class);
  final Tokenize tokenize = bind("llama_tokenize", Tokenize.class);
  final ToPiece toPiece = bind("llama_token_to_piece", ToPiece.class);

  final NewStruct contextDefaultParams =
      bind(
          "llama_context_default_params",
          NewStruct.class,
          FunctionDescriptor.of(Structs.CONTEXT_PARAMS));
  final Opening contextInit =
      bind(
          "llama_init_from_model",
          Opening.class,
          FunctionDescriptor.of(ADDRESS, ADDRESS, Structs.CONTEXT_PARAMS));
  final Procedure contextFree = bind("llama_free", Procedure.class);
  final IntOfStruct decode =
      bind(
          "llama_decode",
          IntOfStruct.class,
          FunctionDescriptor.of(JAVA_INT, ADDRESS, Structs.BATCH));
  final PartAt logits = bind("llama_get_logits_ith", PartAt.class);

  final Remove remove = bind("llama_kv_self_seq_rm", Remove.class);
  final Share share = bind("llama_kv_self_seq_cp", Share.class);
  final SizeOf stateSize = bind("llama_state_seq_get_size", SizeOf.class);
  final CopyState stateGet = bind("llama_state_seq_get_data", CopyState.class);
  final CopyState stateSet = bind("llama_state_seq_set_data", CopyState.class);
  final Procedure defrag = bind("llama_kv_self_defrag", Procedure.class);
  final Procedure update = bind("llama_kv_self_update", Procedure.class);
  final IntOf usedCells = bind("llama_kv_self_used_cells", IntOf.class);
  final NewView cacheView =
      bind(
          "llama_kv_cache_view_init",
          NewView.class,
          FunctionDescriptor.of(Structs.CACHE_VIEW, ADDRESS, JAVA_INT));
  final Procedure2 cacheViewUpdate = bind("llama_kv_cache_view_update", Procedure2.class);
  final Procedure cacheViewFree = bind("llama_kv_cache_view_free", Procedure.class);

  final NewOfStruct samplerChain =
      bind(
          "llama_sampler_chain_init",
          NewOfStruct.class,
          FunctionDescriptor.of(ADDRESS, Structs.SAMPLER_CHAIN_PARAMS));
  final Procedure2 samplerAdd = bind("llama_sampler_chain_add", Procedure2.class);
  final NewObject samplerGreedy = bind("llama_sampler_init_greedy", NewObject.class);
  final NewOfInt samplerTopK = bind("llama_sampler_init_top_k", NewOfInt.class);
  final NewOfFloatAndSize samplerTopP = bind("llama_sampler_init_top_p", NewOfFloatAndSize.class);
  final NewOfFloat samplerTemperature = bind("llama_sampler_init_temp", NewOfFloat.class);
  final NewOfInt samplerDraw = bind("llama_sampler_init_dist", NewOfInt.class);
  final NewPenalties samplerPenalties = bind("llama_sampler_init_penalties", NewPenalties.class);
  final NewGrammar samplerGrammar = bind("llama_sampler_init_grammar", NewGrammar.class);
  final Procedure2 samplerApply = bind("llama_sampler_apply", Procedure2.class);
  final Accept samplerAccept = bind("llama_sampler_accept", Accept.class);
  final Sample sample = bind("llama_sampler_sample", Sample.class);
  final Procedure samplerFree = bind("llama_sampler_free", Procedure.class);

  private <T> T bind(String name, Class<T> type) {
    Method shape = type.getDeclaredMethods()[0];
    MemoryLayout[] parameters =
        Arrays.stream(shape.getParameterTypes()).map(Native::layout).toArray(MemoryLayout[]::new);
    return bind(
        name,
        type,
        shape.getReturnType() == void.class
            ? FunctionDescriptor.ofVoid(parameters)
            : FunctionDescriptor.of(layout(shape.getReturnType()), parameters));
  }

  private <T> T bind(String name, Class<T> type, FunctionDescriptor descriptor) {
    MemorySegment address =
        library
            .find(name)
            .orElseThrow(() ->
                new UserError(
                    "the library with llama.cpp has no function '%s'; take version 4.2.0 of de.kherud:llama"
                        .formatted(name)));
    MethodHandle handle = LINKER.downcallHandle(address, descriptor);
    return MethodHandleProxies.asInterfaceInstance(type, handle);
  }

  private static MemoryLayout layout(Class<?> type) {
    if (type == int.class) {
      return JAVA_INT;
    } else if (type == long.class) {
      return JAVA_LONG;
    } else if (type == float.class) {
      return JAVA_FLOAT;
    } else if (type == boolean.class) {
      return JAVA_BOOLEAN;
    } else if (type == byte.class) {
      return JAVA_BYTE;
    }
    return ADDRESS;
  }
}
