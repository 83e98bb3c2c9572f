"""Small files in the shape that LMDeploy's profiling scripts write; every number is made up."""

RESTFUL_HEADER = (
    "backend,dataset_name,sharegpt_output_len,random_input_len,random_output_len,"
    "random_range_ratio,request_rate,completed,total_input_tokens,total_output_tokens,duration,"
    "request_throughput,input_throughput,output_throughput,mean_e2e_latency_ms,mean_ttft_ms,"
    "mean_tpot_ms,mean_itl_ms"
)
RESTFUL_ROW = "lmdeploy,random,,40,20,0.0,inf,4,160,80,2.0,2.0,80.0,40.0,120.0,25.0,5.0,4.5"
RESTFUL = f"{RESTFUL_HEADER}\n{RESTFUL_ROW}\n{RESTFUL_ROW.replace('inf', '10.0')}\n"
THROUGHPUT = (
    "batch,num_promts,RPS,RPM,FTL(ave)(s),FTL(min)(s),FTL(max)(s),50%(s),75%(s),95%(s),99%(s),"
    "throughput(out tok/s),throughput(total tok/s)\n"
    "128,1000,5.000,300.000,0.150,0.050,4.500,0.040,0.050,0.080,0.110,2500.000,5000.000\n"
)
GENERATION = (
    "batch,prompt_tokens,completion_tokens,throughput(total tok/s),throughput(out tok/s),mem(GB),"
    "FTL(ave)(s),FTL(min)(s),FTL(max)(s),50%(s),75%(s),95%(s),99%(s)\n"
    "1,128,256,120.00,80.00,20.50,0.020,0.010,0.030,0.012,0.013,0.014,0.015\n"
    "64,128,256,4000.00,2700.00,21.00,-,-,-,0.022,0.023,0.024,0.025\n"
)
SAMPLES: dict[str, bytes] = {
    "restful.jsonl": RESTFUL.encode(),
    "throughput.csv": THROUGHPUT.encode(),
    "generation.csv": GENERATION.encode(),
}
