package dev.ebb.server.model;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Joins the bytes of tokens to text; a character may be spread over several tokens. */
public final class TokenText {

  private static final int LONGEST_CHARACTER = 4;

  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);
  private byte[] rest = new byte[0];

  /** Creates an empty text. */
  public TokenText() {}

  /** Adds a token and returns the text that is complete with it. */
  public String add(byte[] piece) {
    ByteBuffer bytes = ByteBuffer.allocate(rest.length + piece.length).put(rest).put(piece).flip();
    CharBuffer text = CharBuffer.allocate(bytes.remaining() + LONGEST_CHARACTER);
    decoder.decode(bytes, text, false);
    rest = new byte[bytes.remaining()];
    bytes.get(rest);
    return text.flip().toString();
  }

  /** Returns the rest, a character that never became complete. */
  public String end() {
    return rest.length == 0 ? "" : decoder.replacement();
  }
}
