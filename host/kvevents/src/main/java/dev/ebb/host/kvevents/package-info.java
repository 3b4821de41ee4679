/**
 * Events about resident keys, for routers that send a request to where its KV cache is. The format
 * is vLLM's: MessagePack batches over ZeroMQ, with replay of missed batches.
 *
 * <p>{@link dev.ebb.host.kvevents.KvEventPublisher} is the entry point.
 */
package dev.ebb.host.kvevents;
