package dev.ebb.host.transfer;

import dev.ebb.host.transfer.TransferException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The start of a connection: both sides agree on the highest version of the protocol that both
 * have, and prove that they know the secret, without sending it. The client proves it first, so
 * that a server answers nothing to strangers that depends on the secret. The proofs cover the
 * versions, so that nobody between the nodes can lower them.
 */
final class Handshake {

  /** The version of this release. A change that older nodes do not understand raises it. */
  static final short VERSION = 4;

  /** The first version whose requests can have a trace context. */
  static final short TRACED = 4;

  /** That of the minor release before, so that a cluster is updated node by node. */
  static final short OLDEST_VERSION = 3;

  private static final int MAGIC = 0x45424254;
  private static final int NONCE = 32;
  private static final int PROOF = 32;
  private static final int HELLO = Integer.BYTES + 2 * Short.BYTES + NONCE;
  private static final byte ACCEPTED = 1;
  private static final byte REFUSED = 2;
  private static final byte[] CLIENT = "ebb transfer client".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SERVER = "ebb transfer server".getBytes(StandardCharsets.US_ASCII);

  private final SecretKeySpec key;
  private final short oldest;
  private final short newest;
  private final SecureRandom random = new SecureRandom();

  Handshake(byte[] secret) {
    this(secret, OLDEST_VERSION, VERSION);
  }

  Handshake(byte[] secret, short oldest, short newest) {
    this.oldest = oldest;
    this.newest = newest;
    // HMAC pads a key with zeros: one zero byte is the empty secret, which Java does not take.
    key = new SecretKeySpec(secret.length == 0 ? new byte[1] : secret, "HmacSHA256");
  }

  /** Connects as the client. Returns the version of the protocol that both sides use. */
  int client(FrameChannel channel) throws IOException {
    byte[] ours = hello();
    channel.writeRaw(ours);
    channel.flush();
    byte[] theirs = channel.raw(HELLO);
    int version = version(theirs);
    channel.writeRaw(proof(CLIENT, ours, theirs));
    channel.flush();
    if (channel.raw(1)[0] != ACCEPTED) {
      throw new PeerException(
          Reason.NOT_ACCEPTED,
          "the peer has another secret; all nodes of a cluster need the same one");
    }
    if (!MessageDigest.isEqual(channel.raw(PROOF), proof(SERVER, ours, theirs))) {
      throw new PeerException(
          Reason.NOT_ACCEPTED,
          "the peer does not know the secret; all nodes of a cluster need the same one");
    }
    return version;
  }

  /** Accepts as the server. Returns the version of the protocol that both sides use. */
  int server(FrameChannel channel) throws IOException {
    byte[] ours = hello();
    byte[] theirs = channel.raw(HELLO);
    if (ByteBuffer.wrap(theirs).getInt() == MAGIC) {
      channel.writeRaw(ours);
      channel.flush();
    }
    int version = version(theirs);
    boolean equal = MessageDigest.isEqual(channel.raw(PROOF), proof(CLIENT, theirs, ours));
    channel.writeRaw(new byte[] {equal ? ACCEPTED : REFUSED});
    channel.writeRaw(equal ? proof(SERVER, theirs, ours) : new byte[PROOF]);
    channel.flush();
    if (!equal) {
      throw new PeerException(
          Reason.NOT_ACCEPTED,
          "the client has another secret; all nodes of a cluster need the same one");
    }
    return version;
  }

  private byte[] hello() {
    byte[] nonce = new byte[NONCE];
    random.nextBytes(nonce);
    return ByteBuffer.allocate(HELLO)
        .putInt(MAGIC)
        .putShort(newest)
        .putShort(oldest)
        .put(nonce)
        .array();
  }

  /** Returns the highest version that both sides have. */
  private int version(byte[] theirHello) throws PeerException {
    ByteBuffer hello = ByteBuffer.wrap(theirHello);
    int magic = hello.getInt();
    if (magic != MAGIC) {
      throw new PeerException(
          Reason.NOT_ACCEPTED,
          "the peer started with '%08x', which is not Ebb's transfer protocol; check the port"
              .formatted(magic));
    }
    short theirNewest = hello.getShort();
    short theirOldest = hello.getShort();
    int version = Math.min(newest, theirNewest);
    if (version < oldest || version < theirOldest) {
      throw new PeerException(
          Reason.NOT_ACCEPTED,
          "the peer has the versions '%d' to '%d' of the transfer protocol, this node has %d to %d; update nodes by one minor version of Ebb at a time"
              .formatted(theirOldest, theirNewest, oldest, newest));
    }
    return version;
  }

  private byte[] proof(byte[] role, byte[] clientHello, byte[] serverHello) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update(role);
      mac.update(clientHello);
      mac.update(serverHello);
      return mac.doFinal();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Java lacks HmacSHA256", impossible);
    }
  }
}
