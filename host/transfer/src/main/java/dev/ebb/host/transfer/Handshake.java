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
 * The start of a connection: both sides compare the version of the protocol and prove that they
 * know the secret, without sending it. The client proves it first, so that a server answers nothing
 * to strangers that depends on the secret.
 */
final class Handshake {

  static final short VERSION = 2;

  private static final int MAGIC = 0x45424254;
  private static final int NONCE = 32;
  private static final int PROOF = 32;
  private static final int HELLO = Integer.BYTES + 2 * Short.BYTES + NONCE;
  private static final byte ACCEPTED = 1;
  private static final byte REFUSED = 2;
  private static final byte[] CLIENT = "ebb transfer client".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SERVER = "ebb transfer server".getBytes(StandardCharsets.US_ASCII);

  private final SecretKeySpec key;
  private final SecureRandom random = new SecureRandom();

  Handshake(byte[] secret) {
    // HMAC pads a key with zeros: one zero byte is the empty secret, which Java does not take.
    key = new SecretKeySpec(secret.length == 0 ? new byte[1] : secret, "HmacSHA256");
  }

  /** Connects as the client. */
  void client(FrameChannel channel) throws IOException {
    byte[] ours = nonce();
    channel.writeRaw(hello(ours));
    channel.flush();
    byte[] theirs = checkedHello(channel.raw(HELLO));
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
  }

  /** Accepts as the server. */
  void server(FrameChannel channel) throws IOException {
    byte[] ours = nonce();
    byte[] hello = channel.raw(HELLO);
    if (ByteBuffer.wrap(hello).getInt() == MAGIC) {
      channel.writeRaw(hello(ours));
      channel.flush();
    }
    byte[] theirs = checkedHello(hello);
    boolean equal = MessageDigest.isEqual(channel.raw(PROOF), proof(CLIENT, theirs, ours));
    channel.writeRaw(new byte[] {equal ? ACCEPTED : REFUSED});
    channel.writeRaw(equal ? proof(SERVER, theirs, ours) : new byte[PROOF]);
    channel.flush();
    if (!equal) {
      throw new PeerException(
          Reason.NOT_ACCEPTED,
          "the client has another secret; all nodes of a cluster need the same one");
    }
  }

  private byte[] nonce() {
    byte[] nonce = new byte[NONCE];
    random.nextBytes(nonce);
    return nonce;
  }

  private static byte[] hello(byte[] nonce) {
    return ByteBuffer.allocate(HELLO)
        .putInt(MAGIC)
        .putShort(VERSION)
        .putShort((short) 0)
        .put(nonce)
        .array();
  }

  private static byte[] checkedHello(byte[] bytes) throws PeerException {
    ByteBuffer hello = ByteBuffer.wrap(bytes);
    int magic = hello.getInt();
    if (magic != MAGIC) {
      throw new PeerException(
          Reason.NOT_ACCEPTED,
          "the peer started with '%08x', which is not Ebb's transfer protocol; check the port"
              .formatted(magic));
    }
    short version = hello.getShort();
    if (version != VERSION) {
      throw new PeerException(
          Reason.NOT_ACCEPTED,
          "the peer has version '%d' of the transfer protocol, this node has %d; use one version of Ebb"
              .formatted(version, VERSION));
    }
    byte[] nonce = new byte[NONCE];
    hello.getShort();
    hello.get(nonce);
    return nonce;
  }

  private byte[] proof(byte[] role, byte[] clientNonce, byte[] serverNonce) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update(role);
      mac.update(clientNonce);
      mac.update(serverNonce);
      return mac.doFinal();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Java lacks HmacSHA256", impossible);
    }
  }
}
