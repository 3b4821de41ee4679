package dev.ebb.host.cli;

import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.login.PasswordHash;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import picocli.CommandLine.Command;

@Command(name = "users", description = "Generates password entries for server users")
final class UsersCommand extends CommandGroup {

  /** The most bytes of a password on standard input. */
  private static final int LONGEST = 1 << 10;

  UsersCommand() {
    super("hash");
  }

  @Command(
      description =
          "Reads a password from the terminal, or the first line of standard input, and prints its"
              + " hash for 'ebb.server.users.NAME.password-hash'",
      footer = "  ebb users hash")
  int hash() throws IOException {
    Optional<Console> terminal = Optional.ofNullable(System.console()).filter(Console::isTerminal);
    char[] password = terminal.isPresent() ? typed(terminal.get()) : piped(System.in);
    out().println(PasswordHash.of(password).encoded());
    out().flush();
    Arrays.fill(password, ' ');
    return 0;
  }

  private static char[] typed(Console console) {
    char[] first = console.readPassword("Password: ");
    char[] second = console.readPassword("Again: ");
    if (first == null || second == null || first.length == 0) {
      throw new UserError("there is no password; type one");
    }
    if (!Arrays.equals(first, second)) {
      throw new UserError("the two passwords differ; run the command again");
    }
    return first;
  }

  static char[] piped(InputStream in) throws IOException {
    byte[] bytes = new byte[LONGEST];
    int length = 0;
    int next = in.read();
    while (next >= 0 && next != '\n') {
      if (length == LONGEST) {
        throw new UserError(
            "the password has more than '%d' bytes; choose a shorter one".formatted(LONGEST));
      }
      bytes[length++] = (byte) next;
      next = in.read();
    }
    if (length > 0 && bytes[length - 1] == '\r') {
      length--;
    }
    if (length == 0) {
      throw new UserError(
          "standard input has no password; run 'ebb users hash' in a terminal, or pass a line on"
              + " standard input");
    }
    try {
      CharBuffer text =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length));
      return Arrays.copyOfRange(text.array(), text.arrayOffset(), text.limit());
    } catch (CharacterCodingException notUtf8) {
      throw new UserError("the password is not in UTF-8; convert it, or type it in a terminal");
    }
  }
}
