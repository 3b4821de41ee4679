package dev.ebb.llama.binding;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * The C functions in use. A method has the name of its function in camel case: {@code
 * llamaModelSize} calls {@code llama_model_size}.
 */
interface Native {

  void llamaBackendInit();

  void llamaLogSet(MemorySegment callback, MemorySegment user);

  MemorySegment ggmlOpName(int operation);

  MemorySegment llamaModelDefaultParams(SegmentAllocator into);

  MemorySegment llamaModelLoadFromFile(MemorySegment path, MemorySegment params);

  void llamaModelFree(MemorySegment model);

  MemorySegment llamaModelGetVocab(MemorySegment model);

  int llamaModelNLayer(MemorySegment model);

  int llamaModelNHead(MemorySegment model);

  int llamaModelNHeadKv(MemorySegment model);

  int llamaModelNEmbd(MemorySegment model);

  int llamaModelNCtxTrain(MemorySegment model);

  long llamaModelSize(MemorySegment model);

  boolean llamaModelHasEncoder(MemorySegment model);

  boolean llamaModelIsRecurrent(MemorySegment model);

  int llamaModelDesc(MemorySegment model, MemorySegment buffer, long size);

  int llamaModelMetaValStr(MemorySegment model, MemorySegment key, MemorySegment buffer, long size);

  MemorySegment llamaModelChatTemplate(MemorySegment model, MemorySegment name);

  int llamaChatApplyTemplate(
      MemorySegment template,
      MemorySegment messages,
      long count,
      boolean answer,
      MemorySegment out,
      int size);

  int llamaVocabNTokens(MemorySegment vocab);

  int llamaVocabType(MemorySegment vocab);

  int llamaVocabEos(MemorySegment vocab);

  boolean llamaVocabIsEog(MemorySegment vocab, int token);

  int llamaTokenize(
      MemorySegment vocab,
      MemorySegment text,
      int length,
      MemorySegment tokens,
      int size,
      boolean special,
      boolean parse);

  int llamaTokenToPiece(
      MemorySegment vocab, int token, MemorySegment out, int size, int strip, boolean special);

  MemorySegment llamaContextDefaultParams(SegmentAllocator into);

  MemorySegment llamaInitFromModel(MemorySegment model, MemorySegment params);

  void llamaFree(MemorySegment context);

  int llamaDecode(MemorySegment context, MemorySegment batch);

  MemorySegment llamaGetLogitsIth(MemorySegment context, int index);

  boolean llamaKvSelfSeqRm(MemorySegment context, int sequence, int from, int to);

  void llamaKvSelfSeqCp(MemorySegment context, int sequence, int other, int from, int to);

  void llamaKvSelfDefrag(MemorySegment context);

  void llamaKvSelfUpdate(MemorySegment context);

  int llamaKvSelfUsedCells(MemorySegment context);

  MemorySegment llamaKvCacheViewInit(SegmentAllocator into, MemorySegment context, int sequences);

  void llamaKvCacheViewUpdate(MemorySegment context, MemorySegment view);

  void llamaKvCacheViewFree(MemorySegment view);

  long llamaStateSeqGetSize(MemorySegment context, int sequence);

  long llamaStateSeqGetData(MemorySegment context, MemorySegment buffer, long size, int sequence);

  long llamaStateSeqSetData(MemorySegment context, MemorySegment buffer, long size, int sequence);

  MemorySegment llamaSamplerChainInit(MemorySegment params);

  void llamaSamplerChainAdd(MemorySegment chain, MemorySegment sampler);

  MemorySegment llamaSamplerInitGreedy();

  MemorySegment llamaSamplerInitTopK(int count);

  MemorySegment llamaSamplerInitTopP(float probability, long least);

  MemorySegment llamaSamplerInitTemp(float temperature);

  MemorySegment llamaSamplerInitDist(int seed);

  MemorySegment llamaSamplerInitPenalties(
      int last, float repetition, float frequency, float presence);

  MemorySegment llamaSamplerInitGrammar(
      MemorySegment vocab, MemorySegment grammar, MemorySegment root);

  void llamaSamplerApply(MemorySegment sampler, MemorySegment candidates);

  void llamaSamplerAccept(MemorySegment sampler, int token);

  int llamaSamplerSample(MemorySegment sampler, MemorySegment context, int index);

  void llamaSamplerFree(MemorySegment sampler);
}
