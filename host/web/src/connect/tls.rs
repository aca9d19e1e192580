//! Verification of servers.
//!
//! The roots are Mozilla's, built in: they are the same on every machine, so a page that can be
//! fetched on one can be fetched on all, and containers without a certificate store work. Users
//! with their own roots name a file.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// Files with further certificate authorities, in PEM.
    pub ca_files: Vec<PathBuf>,
    /// Takes any certificate from anybody. What is fetched so may come from whoever is on the way.
    pub insecure: bool,
}

/// A file with certificate authorities that is of no use.
#[derive(Debug, thiserror::Error)]
#[error("the certificate authorities in {} can't be used: {reason}", path.display())]
pub struct BadAuthorities {
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

impl TlsSettings {
    /// Returns the configuration of a client that speaks HTTP/1.1.
    pub fn client(&self) -> Result<ClientConfig, BadAuthorities> {
        config(self, false)
    }
}

pub(crate) fn config(settings: &TlsSettings, http2: bool) -> Result<ClientConfig, BadAuthorities> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("ring supports the versions that rustls has by default");
    let mut config = if settings.insecure {
        let verifier = Arc::new(TrustAnybody { provider });
        builder
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth()
    } else {
        builder
            .with_root_certificates(roots(settings)?)
            .with_no_client_auth()
    };
    if http2 {
        config.alpn_protocols.push(b"h2".to_vec());
    }
    config.alpn_protocols.push(b"http/1.1".to_vec());
    Ok(config)
}

fn roots(settings: &TlsSettings) -> Result<RootCertStore, BadAuthorities> {
    let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for path in &settings.ca_files {
        let bad = |reason: String| BadAuthorities {
            path: path.clone(),
            reason,
        };
        let before = roots.len();
        for certificate in CertificateDer::pem_file_iter(path).map_err(|error| bad(error.to_string()))? {
            let certificate = certificate.map_err(|error| bad(error.to_string()))?;
            roots.add(certificate).map_err(|error| bad(error.to_string()))?;
        }
        // A file without a certificate is no error of the parser. It is most likely the wrong file.
        if roots.len() == before {
            return Err(bad("there is no certificate in it".to_owned()));
        }
    }
    Ok(roots)
}

/// Reason why there is no secure connection.
#[derive(Debug)]
pub struct TlsError(io::Error);

impl TlsError {
    pub(crate) fn new(error: io::Error) -> TlsError {
        TlsError(error)
    }

    /// Returns true if the network broke off the handshake, rather than one of the two sides.
    pub(crate) fn is_temporary(&self) -> bool {
        self.rustls().is_none()
    }

    fn rustls(&self) -> Option<&rustls::Error> {
        self.0.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        use CertificateError as Certificate;
        let Some(error) = self.rustls() else {
            return write!(formatter, "the handshake failed: {}", self.0);
        };
        match error {
            // An authority of the same name with another key is a stranger too.
            rustls::Error::InvalidCertificate(Certificate::UnknownIssuer | Certificate::BadSignature) => {
                formatter.write_str("its certificate is signed by no trusted authority")
            }
            rustls::Error::InvalidCertificate(Certificate::Expired | Certificate::ExpiredContext { .. }) => {
                formatter.write_str("its certificate has expired")
            }
            rustls::Error::InvalidCertificate(
                Certificate::NotValidForName | Certificate::NotValidForNameContext { .. },
            ) => formatter.write_str("its certificate is for another name"),
            rustls::Error::InvalidMessage(_) => formatter.write_str("the server does not speak TLS"),
            other => write!(formatter, "{other}"),
        }
    }
}

impl std::error::Error for TlsError {}

/// Verifier for the `insecure` setting. It still checks the signatures of the handshake, which
/// costs nothing.
#[derive(Debug)]
struct TrustAnybody {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for TrustAnybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
