package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;

/** Nodes as bytes, with the identity of their process in the membership. */
final class NodeCodec {

  /** Nodes of the next minor release may append fields, which this one ignores. */
  private static final int FORMAT = 2;

  /** A node and its process; a node that restarts is another process. */
  record NodeProcess(UUID process, Node node) {}

  private NodeCodec() {}

  static byte[] encode(NodeProcess given) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    Node node = given.node();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(FORMAT);
      out.writeLong(given.process().getMostSignificantBits());
      out.writeLong(given.process().getLeastSignificantBits());
      out.writeUTF(node.name());
      out.writeInt(node.id());
      out.writeUTF(node.rack());
      out.writeUTF(node.zone());
      out.writeUTF(node.host());
      out.writeInt(node.transferPort());
      out.writeUTF(node.resp());
      out.writeUTF(node.admin());
      out.writeUTF(node.state().name());
      out.writeLong(node.capacityBytes());
      out.writeLong(node.usedBytes());
      out.writeLong(node.replicaCapacityBytes());
      out.writeLong(node.replicaUsedBytes());
      out.writeDouble(node.commandsPerSecond());
      out.writeLong(node.clock());
      out.writeLong(node.values());
      out.writeUTF(node.settings());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  static NodeProcess decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int format = in.readByte();
      if (format != FORMAT) {
        throw new IOException("format '%d' is not known".formatted(format));
      }
      return new NodeProcess(
          new UUID(in.readLong(), in.readLong()),
          new Node(
              in.readUTF(),
              in.readInt(),
              in.readUTF(),
              in.readUTF(),
              in.readUTF(),
              in.readInt(),
              in.readUTF(),
              in.readUTF(),
              NodeState.valueOf(in.readUTF()),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readDouble(),
              in.readLong(),
              in.readLong(),
              in.readUTF()));
    } catch (IOException | IllegalArgumentException wrong) {
      throw new IllegalArgumentException(
          "the record of a node is corrupt (%s); run the same version of Ebb on all nodes"
              .formatted(wrong.getMessage()),
          wrong);
    }
  }
}
