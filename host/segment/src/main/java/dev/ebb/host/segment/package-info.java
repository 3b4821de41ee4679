/**
 * The segment format: a file with the K and V of a sequence, or with one value of a client.
 *
 * <p>{@link dev.ebb.host.segment.SegmentHeader} is the first 64 bytes. {@link
 * dev.ebb.host.segment.SegmentWriter} and {@link dev.ebb.host.segment.SegmentReader} move the
 * payload between the file and the caller's memory.
 */
package dev.ebb.host.segment;
