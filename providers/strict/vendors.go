package strict

// Anthropic is the vendor's own service, with its published and measured limits.
func Anthropic() Rules {
	return Rules{
		MaxImages: 100, MaxSide: 8000, ManyImages: 20, ManySide: 2000,
		MaxImageBase64: 10 << 20, // measured; older gateways stop at 5 MiB
		MaxBody:        32 << 20, // measured at the network in front of the service
	}
}

// OpenAI is the vendor's own service, with its published and measured limits.
func OpenAI() Rules {
	return Rules{
		MaxImages: 1500, MaxSide: 65535,
		MaxImageBase64: 20 << 20,  // published for a data URL
		MaxImagesBytes: 50 << 20,  // measured
		MaxBody:        512 << 20, // published
	}
}

// LlamaCpp is a local server with a chat template that takes little and a model without sight.
func LlamaCpp() Rules {
	return Rules{TextOnly: true, StringContentOnly: true, AllowExtras: true}
}
