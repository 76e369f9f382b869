package dev.mainstay.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** Reads PEM files as a start would, so that a check finds what a start would find. */
final class Pem {
  private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String END = "-----END PRIVATE KEY-----";
  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519", "Ed448");

  private Pem() {}

  /** Notes at {@code given} where {@code file} holds no certificates. */
  static void certificates(YamlGiven given, Path file) {
    var allowed = "a PEM file of certificates that this process may read";
    try (var in = Files.newInputStream(file)) {
      if (CertificateFactory.getInstance("X.509").generateCertificates(in).isEmpty()) {
        given.problem(file + ", which contains no certificate", allowed);
      }
    } catch (IOException | UncheckedIOException e) {
      given.problem(file + ", which Mainstay cannot read", allowed);
    } catch (GeneralSecurityException e) {
      given.problem(file + ", which contains no certificates", allowed);
    }
  }

  /** Notes at {@code given} where {@code file} holds no private key. */
  static void privateKey(YamlGiven given, Path file) {
    var allowed = "a PEM file of one private key, PKCS#8 and without a password";
    try {
      if (!holdsKey(Files.readString(file, StandardCharsets.US_ASCII))) {
        given.problem(file + ", which contains no such key", allowed);
      }
    } catch (IOException e) {
      given.problem(file + ", which Mainstay cannot read", allowed);
    }
  }

  private static boolean holdsKey(String pem) {
    int begin = pem.indexOf(BEGIN);
    int end = pem.indexOf(END);
    if (begin < 0 || end < begin) {
      return false;
    }
    byte[] bytes;
    try {
      bytes = Base64.getMimeDecoder().decode(pem.substring(begin + BEGIN.length(), end).strip());
    } catch (IllegalArgumentException e) {
      return false;
    }
    for (var algorithm : ALGORITHMS) {
      try {
        KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
        return true;
      } catch (GeneralSecurityException e) {
        // Another algorithm's, or none.
      }
    }
    return false;
  }
}
