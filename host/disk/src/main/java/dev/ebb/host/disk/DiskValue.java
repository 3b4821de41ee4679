package dev.ebb.host.disk;

import dev.ebb.host.disk.format.ReadBuffer;
import java.nio.ByteBuffer;

/**
 * A value that was read. Its bytes are those of the {@link ReadBuffer}, until the next read into
 * it.
 *
 * @param bytes the value
 * @param attachment its metadata; empty without
 * @param expiresAt wall-clock milliseconds; {@link DiskLog#NEVER} for none
 * @param group its object group; 0 for none
 * @param parent the hash of the key of the chunk before it; 0 if unknown
 * @param file the number of its file
 * @param location where it was, for {@link DiskLogs#isCurrent}
 */
public record DiskValue(
    ByteBuffer bytes,
    ByteBuffer attachment,
    long expiresAt,
    int group,
    long parent,
    int file,
    long location) {}
